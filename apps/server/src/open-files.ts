/** File descriptors reserved for the database, Redis, models, the log and served files. */
const RESERVED_FILES = 64;

/**
 * Returns the number of connections that the limit of open files (RLIMIT_NOFILE) allows; Infinity
 * if there is no limit.
 */
export function connectionsByOpenFiles(): number {
  // Skips the lookup of host names in Node's diagnostic report. Node's types lack this option.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const files = Number(report.userLimits?.open_files?.soft);
  return Number.isFinite(files) ? Math.max(1, files - RESERVED_FILES) : Number.POSITIVE_INFINITY;
}
