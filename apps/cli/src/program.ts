import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { grantPass, revokePass, showPass } from "./commands/passes.ts";
import { rotateKeys } from "./commands/rotate-keys.ts";
import { showUsage } from "./commands/usage.ts";
import type { HubCommand } from "./report.ts";

const AFTER_HELP = `
The hub must be running. It is found by BASE_URL and ADMIN_TOKEN or, beside an embedded hub, in its
DATA_DIR (.data). Times are UTC.

Exit codes: 1 refused by the hub, 2 wrong arguments or settings, 3 no hub there, 4 no token or a
wrong one.

Examples:
  pnpm hub grant ada vip --days 30
  pnpm hub grant ada pro --until 2027-01-31
  pnpm hub usage --days 30 --user ada --json`;

/** @param report asks the hub and prints what a command has to say */
export function createProgram(report: (command: HubCommand) => Promise<void>) {
  const program = new Command("pnpm hub")
    // Before the commands are added: they take it over. Without it the library ends the process.
    .exitOverride()
    .description("The operator's tool for a running Soul Hub.")
    .addOption(new Option("--json", "print the hub's answer for machines"))
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText("after", AFTER_HELP);

  program
    .command("grant")
    .summary("grant or renew a pass")
    .description("Grants or renews a pass. What was used of today stays used.")
    .argument("<username>")
    .addArgument(new Argument("<tier>").choices(["vip", "pro"]))
    .option("--days <n>", "for so many days from now", wholeNumber)
    .option("--until <time>", '2027-01-31, "2027-01-31 12:00:00" or ISO 8601')
    .action((username, tier, howLong) => report(grantPass(username, tier, howLong)));

  program
    .command("revoke")
    .summary("take a pass away")
    .description("Takes a pass away: the account is free from now on.")
    .argument("<username>")
    .action((username) => report(revokePass(username)));

  program
    .command("show")
    .summary("show a pass and today's quota")
    .description("Shows what was granted, what it counts as now, and what was used today.")
    .argument("<username>")
    .action((username) => report(showPass(username)));

  program
    .command("usage")
    .summary("show calls to models and what they cost")
    .description("Shows calls to models by day, provider, model and outcome.")
    .option("--days <n>", "days up to today, at most 90 (default: 7)", wholeNumber)
    .option("--user <username>", "of one account")
    .action((options) => report(showUsage(options)));

  program
    .command("rotate-keys")
    .summary("seal every secret with the first master key")
    .description(
      "Seals every stored secret anew with the first of the hub's MASTER_KEYS. Afterwards the older ones can be taken away, unless some secret is unreadable (exit code 1).",
    )
    .action(() => report(rotateKeys));

  return program;
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
