import tab from "@bomb.sh/tab/commander";
import { Option } from "@commander-js/extra-typings";
import { type Program, wholeNumber } from "@soul-hub/program";
import { exportFormatNames } from "@soul-hub/soul-formats";
import packageFile from "../package.json" with { type: "json" };
import { chat } from "./chat/chat.ts";
import { login, logout, whoAmI } from "./commands/account.ts";
import { listVersions, restore, search, show } from "./commands/browse.ts";
import { diff, status } from "./commands/compare.ts";
import { exportFile } from "./commands/export.ts";
import { importFile } from "./commands/import.ts";
import { createKey, keyScopes, listKeys, revokeKey } from "./commands/keys.ts";
import { mcp } from "./commands/mcp.ts";
import { publish } from "./commands/publish.ts";
import { pull } from "./commands/pull.ts";
import type { Command } from "./hub/session.ts";

const sorts = ["newest", "popular", "rating", "forks", "updated"] as const;

export const texts = {
  name: "soul-hub",
  version: packageFile.version,
  description: "Find, publish, version and talk to souls of a Soul Hub.",
  json: "print data as JSON; chat prints a line for each event",
  afterHelp: `
SOUL_HUB_URL and SOUL_HUB_KEY win over what login has stored. Times are UTC.

Exit codes: 0 done, 1 refused, 2 wrong arguments or settings, 3 no hub at the address, 4 missing or
rejected credential, 5 changed meanwhile, 130 after Ctrl-C. Data is on stdout, all else on stderr.

Examples:
  soul-hub login --url https://hub.example.org
  soul-hub pull 7 keeper && soul-hub publish keeper --dry-run
  soul-hub chat 7 --room harbour
  git diff | soul-hub chat 7`,
};

/** @param run runs a command and prints its report */
export function addCommands(program: Program, run: (command: Command) => Promise<void>): void {
  const command = <Usage extends string>(usage: Usage, description: string) =>
    program.command(usage).description(description);

  command(
    "login",
    "Log in with username and password, and keep a key that is made for this machine.",
  )
    .option("--url <address>", "the hub; by default the one of the last login")
    .option("--key-stdin", "keep the key on stdin instead")
    .action((options) => run(login(options)));
  command("logout", "Revoke the key that login made, and forget it.").action(() => run(logout));
  command("whoami", "Show the account and the hub.").action(() => run(whoAmI));

  command("search [words...]", "Search souls.")
    .option("--mine", "among your own souls, private ones too")
    .option("--role <slug>", "a category")
    .addOption(new Option("--sort <order>", "by default the best match").choices(sorts))
    .addOption(
      new Option("--match <how>", "text: only these words").choices(["all", "text"] as const),
    )
    .option("--limit <n>", "the number of souls", wholeNumber, 20)
    .option("--offset <n>", "the number of souls to skip", wholeNumber, 0)
    .action((words, options) => run(search(words, options)));
  command("show", "Show a soul with its texts.")
    .argument("<id>", "the soul's number", wholeNumber)
    .action((id) => run(show(id)));
  command("versions", "List the versions of a soul.")
    .argument("<id>", "the soul's number", wholeNumber)
    .action((id) => run(listVersions(id)));
  command("restore", "Restore a version of a soul. Its present state becomes a version, too.")
    .argument("<id>", "the soul's number", wholeNumber)
    .argument("<version>", "the version's number", wholeNumber)
    .action((id, version) => run(restore(id, version)));

  command("pull", "Write a soul into a folder, or bring a pulled folder up to date.")
    .argument("<id>", "the soul's number", wholeNumber)
    .argument("[dir]", "by default named after the soul")
    .option("--force", "write over other files and changes")
    .action((id, dir, options) => run(pull(id, dir, options)));
  command("status", "Show what differs between a pulled folder and the hub.")
    .argument("[dir]", "a pulled or published folder or file", ".")
    .action((dir) => run(status(dir)));
  command("diff", "Compare a pulled folder with the hub, or two versions of a soul.")
    .argument("[dir|id]", "a folder, or the soul's number", ".")
    .option("--from <version>", "the version before", wholeNumber)
    .option("--to <version>", "the version after", wholeNumber)
    .option("--exit-code", "exit with 1 if something differs")
    .action((place, options) => run(diff(place, options)));
  command(
    "publish",
    "Publish a folder or file as a new soul, private at first, or as the next version.",
  )
    .argument("[dir|file]", "the soul", ".")
    .option("--dry-run", "say what would change, and change nothing")
    .option("--public", "let everyone see the soul")
    .option("--force", "publish over changes that the hub got since the last pull")
    .action((place, options) => run(publish(place, options)));

  command("chat", "Talk to a soul in a live room. A text on stdin is one question.")
    .argument("<id>", "the soul's number", wholeNumber)
    .option("--room <token>", "the room; by default a new one")
    .option("--own", "use your own provider key; nothing is stored")
    .action((id, options) => run(chat(id, options)));

  command("export", "Save a soul as a file, or everything of your account.")
    .argument("[id]", "the soul's number", wholeNumber)
    .option("--all", "save your souls, rooms, likes and ratings as an archive")
    .addOption(new Option("--format <format>", "of a soul's file").choices(exportFormatNames))
    .option("--include <parts>", "of an archive: souls,chats,social")
    .option("--out <file>", "by default named after the content")
    .action((id, options) => run(exportFile(id, options)));
  command("import", "Import a card, package, Markdown or archive; as private souls.")
    .argument("<file|url>", "a file of this machine, or an https address")
    .option("--dry-run", "say what would be imported, and change nothing")
    .option("--public", "let everyone see the new soul")
    .action((source, options) => run(importFile(source, options)));

  const keys = program.command("keys").description("Manage the API keys of your account.");
  keys
    .command("list")
    .description("List your keys.")
    .action(() => run(listKeys));
  keys
    .command("create <name>")
    .description("Make a key for a program, and write it to a file.")
    .addOption(
      new Option("--scope <scope...>", "what the key may do")
        .choices(keyScopes)
        .makeOptionMandatory(),
    )
    .requiredOption("--out <file>", "a new file for the key, which only you can read")
    .option("--expires <time>", "such as 2027-01-31; by default never")
    .action((name, options) => run(createKey(name, options)));
  keys
    .command("revoke")
    .description("Revoke a key.")
    .argument("<id>", "the key's number in the list", wholeNumber)
    .action((id) => run(revokeKey(id)));

  command(
    "mcp",
    "Serve the hub's Model Context Protocol on stdin and stdout, for local agents.",
  ).action(() => run(mcp));
  // Adds `completion <shell>`, and the hidden `complete` that the shells call.
  tab(program as unknown as Parameters<typeof tab>[0], { completionCommandName: "completion" });
}
