import { Argument } from "@commander-js/extra-typings";
import { Failure, type Program, wholeNumber } from "@soul-hub/program";
import { showAudit } from "./commands/audit.ts";
import { backUp } from "./commands/backup.ts";
import { listInvites } from "./commands/invites.ts";
import { moveTo } from "./commands/move-to.ts";
import { showPass } from "./commands/passes.ts";
import { restore, verify } from "./commands/restore.ts";
import { rotateKeys } from "./commands/rotate-keys.ts";
import { showUsage } from "./commands/usage.ts";
import { verifyVersion } from "./commands/verify-version.ts";
import { type Command, type HubCommand, onHub, saying } from "./report.ts";

export const textsOf = (name: string) => ({
  name,
  description: "The operator's tool for a running Soul Hub.",
  json: "print the hub's response as JSON",
  afterHelp: `
The hub must be running, except for verify, restore and verify-version. BASE_URL and ADMIN_TOKEN
locate it, or the DATA_DIR (.data) of an embedded hub. Times are UTC.

Exit codes: 1 error from the hub, or a version that is not verified, 2 invalid arguments or
settings, or a refused backup, file or target, 3 no hub at the address, 4 missing or rejected token.

Examples:
  ${name} grant ada vip --days 30
  ${name} grant ada pro --until 2027-01-31
  ${name} usage --days 30 --user ada --json
  ${name} backup hub.hub && ${name} verify hub.hub
  ${name} verify-version ./keeper --signature version.json`,
});

const MESSAGE = "a message to the account concerned";

/** @param report runs a command and prints the result */
export function addCommands(program: Program, report: (command: Command) => Promise<void>): void {
  const command = <Usage extends string>(usage: Usage, summary: string) =>
    program.command(usage).summary(summary);
  const ask = (task: HubCommand) => report(onHub(task));

  command("grant <username>", "grant or renew a pass")
    .description("Grants or renews a pass. Usage of the current day still counts.")
    .addArgument(new Argument("<tier>").choices(["vip", "pro"]))
    .option("--days <n>", "duration in days from now", wholeNumber)
    .option("--until <time>", '2027-01-31, "2027-01-31 12:00:00" or ISO 8601')
    .action((username, tier, { days, until }) => {
      if ((days === undefined) === (until === undefined)) {
        const message = "Set the duration with either --days 30 or --until 2027-01-31.";
        throw new Failure("bad_arguments", message);
      }
      const pass = { username, tier, days, expires_at: until };
      return ask((hub) => hub.passes.grant.mutate(pass).then(saying));
    });

  command("revoke <username>", "revoke a pass")
    .description("Revokes a pass. The account is on the free tier from now on.")
    .action((username) =>
      ask((hub) => hub.passes.grant.mutate({ username, tier: "free" }).then(saying)),
    );

  command("show <username>", "show a pass and today's quota")
    .description("Shows the granted tier, the effective tier and today's usage.")
    .action((username) => ask(showPass(username)));

  command("usage", "show calls to models and their tokens")
    .description("Shows calls to models by day, provider, model and outcome.")
    .option("--days <n>", "days up to today, at most 90 (default: 7)", wholeNumber)
    .option("--user <username>", "calls of one account only")
    .action((options) => ask(showUsage(options)));

  command("suspend <username>", "suspend an account")
    .description("Suspends an account and hides its souls. Its owner reads why, and may appeal.")
    .option("--days <n>", "days from now, at most 365 (default: until it is lifted)", wholeNumber)
    .option("--lift", "lift the suspension")
    .option("--message <text>", MESSAGE)
    .action((username, { days = null, lift, message: message_to_author }) => {
      if (lift && days !== null) {
        throw new Failure("bad_arguments", "Use either --days 7 or --lift, which ends it now.");
      }
      const suspension = { username, suspended: lift !== true, days, message_to_author };
      return ask((hub) => hub.moderation.suspend.mutate(suspension).then(saying));
    });

  const setHidden = (hidden: boolean) => (soul_id: number, options: { message?: string }) => {
    const decision = { soul_id, hidden, message_to_author: options.message };
    return ask((hub) => hub.moderation.hide.mutate(decision).then(saying));
  };
  command("hide", "hide a soul")
    .description("Hides a soul from everyone but its author, who reads why and may appeal.")
    .argument("<soul-id>", "the number in the soul's address", wholeNumber)
    .option("--message <text>", MESSAGE)
    .action(setHidden(true));

  command("unhide", "show a hidden soul again")
    .description("Takes all decisions back that hide a soul, those of the staff included.")
    .argument("<soul-id>", "the number in the soul's address", wholeNumber)
    .option("--message <text>", MESSAGE)
    .action(setHidden(false));

  command("role <username>", "make an account a moderator or an admin")
    .description("Sets the role of an account. Moderators and admins are the hub's staff.")
    .addArgument(new Argument("<role>").choices(["member", "moderator", "admin"]))
    .action((username, role) =>
      ask((hub) => hub.roles.set.mutate({ username, role }).then(saying)),
    );

  command("reset-link <username>", "make a link to a new password")
    .description(
      "Prints a link with which the owner of an account sets a new password, once. Earlier links stop working.",
    )
    .option("--hours <n>", "hours that it works, at most 168", wholeNumber, 24)
    .action((username, { hours }) =>
      ask(async (hub) => {
        const link = await hub.accounts.makeResetLink.mutate({ username, hours });
        const validity = `The link works once, until ${link.expires_at} UTC. It is shown only now.`;
        return { json: link, lines: [link.url, validity] };
      }),
    );

  command("audit", "show or verify the audit log")
    .description(
      "Shows the newest 100 actions of the staff and the operator. With --verify it computes the chain of hashes again (exit code 1 if a row was changed).",
    )
    .option("--actor <actor>", "operator, account:<id>, deleted:<id> or a username")
    .option("--action <action>", "such as set-role")
    .option("--before <id>", "rows before this one", wholeNumber)
    .option("--verify", "verify the whole log")
    .action((options) => ask(showAudit(options)));

  command("invite", "create an invite to register")
    .description("Creates an invite and prints its link, which REGISTRATION=invite asks for.")
    .option("--uses <n>", "accounts that may register, at most 1000", wholeNumber, 1)
    .option("--days <n>", "days until it ends, at most 365", wholeNumber, 30)
    .option("--note <text>", "a note for the list of invites")
    .action((options) =>
      ask(async (hub) => {
        const invite = await hub.invites.create.mutate(options);
        const { id, url, expires_at } = invite;
        const validity = `Invite ${id} is valid until ${expires_at} UTC. The link is shown only now.`;
        return { json: invite, lines: [url, validity] };
      }),
    );

  command("invites", "list the invites to register")
    .description("Lists the invites that have not expired.")
    .action(() => ask(listInvites));

  command("withdraw-invite", "withdraw an invite to register")
    .description("Withdraws an invite. Accounts that registered with it stay.")
    .argument("<id>", "from the list of invites", wholeNumber)
    .action((id) => ask((hub) => hub.invites.withdraw.mutate({ id }).then(saying)));

  command("rotate-keys", "re-encrypt every secret with the first master key")
    .description(
      "Re-encrypts every stored secret with the first of the hub's MASTER_KEYS. Afterwards the older keys can be removed, unless a secret is unreadable (exit code 1).",
    )
    .action(() => ask(rotateKeys));

  command("backup", "back up the running hub")
    .description(
      "Writes a backup of the running hub to a file, or to stdout with -. It includes the keys of an embedded hub.",
    )
    .argument("[file]", "by default soul-hub-<time>.hub")
    .option("--without-keys", "leave out secrets.json; keep MASTER_KEYS elsewhere")
    .action((file, options) => report(backUp(file, options)));

  command("verify <file>", "verify a backup")
    .description("Restores a backup into a temporary database and compares every table.")
    .action((file) => report(verify(file)));

  command("restore <file>", "restore a backup while the hub is stopped")
    .description(
      "Restores a backup into DATABASE_URL or, without it, into DATA_DIR. The hub must be stopped.",
    )
    .option("--replace", "replace the existing data; the former data is kept under another name")
    .option(
      "--lose-secrets",
      "restore without the backup's master keys; the stored secrets become unreadable",
    )
    .action((file, options) => report(restore(file, options)));

  command("verify-version", "verify the signature of a soul's version")
    .description(
      "Verifies offline that a folder holds a signed version of a soul, byte for byte. examples/verify-version.mjs does the same without this repository.",
    )
    .argument("<folder>", "the files of the version; one Markdown is SOUL.md")
    .requiredOption("--signature <file>", "the `data` of GET /api/version as JSON")
    .action((folder, { signature }) => report(verifyVersion(folder, signature)));

  command("move-to", "move an embedded hub to PostgreSQL while it runs")
    .description(
      "Copies the data of the running embedded hub to an empty PostgreSQL database and compares it. The hub refuses writes from then on. Prints the variables for the new start.",
    )
    .argument("<database-url>", "URL of an empty PostgreSQL database, not of a pooler")
    .action((url) => report(moveTo(url)));
}
