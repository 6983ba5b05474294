/** The logo: a mask with two eyes. */
export function HubMark() {
  return (
    <svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="9" fill="var(--accent)" />
      <path d="M8 17a8 8 0 0 1 16 0v7h-4.5a3.5 3.5 0 0 1-7 0H8z" fill="var(--accent-ink)" />
      <circle cx="13" cy="16" r="1.9" fill="var(--accent)" />
      <circle cx="19" cy="16" r="1.9" fill="var(--accent)" />
    </svg>
  );
}
