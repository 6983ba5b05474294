/**
 * The layers of the code: for each folder its sub-folders and lone files, ground first. Each imports
 * only those before it, types included. `.dependency-cruiser.mjs` refuses every other import, and
 * tools/dependency-rules.test.ts fails for a name that is missing here.
 *
 * The lists form a tree, so that checking single imports is enough: a chain of imports that leaves a
 * folder leads to layers below it, and never back.
 */
const lists = {
  "packages/api/src": `
    errors fields.schema tracing vault credential-hash file-time embedding semaphore rate-limits series-limit
    metrics maintenance db context caller mail trpc audit accounts quota wallet souls social about rooms
    chat mini-apps moderation account-archive account-deletion idempotency tables archive operator
    backup router transport app error-for-log hub-gauges storage-state hub pages index`,
  "packages/api/src/db": `
    database-errors statement-watch database transact data-loader clock-watch drivers identity pooled-sessions
    prepared-query sql-functions schema-version migrations migrate upkeep`,
  "packages/api/src/accounts": `
    session.entity account-mails accounts.schema api-key session-label standing links deleted-names
    passwords session.service api-key.service keys account.queries proof email invites guests roles
    blocks accounts.service credentials recovery accounts.router passkeys`,
  "packages/api/src/wallet": `
    chain-port wallet-proof.entity wallet.schema web-wallets.schema proof-encoding nep413 near nft-gate
    signed-proof proof-fields proof-replay wallet-key wallet.service wallet.router`,
  "packages/api/src/souls": `
    categories format-thread soul-content domain-tag.entity packages version soul.entity souls.schema
    change-soul ghost sweep-deleted-souls soul.queries soul-access soul-lock holds search starter-souls
    list-souls.service similar-souls.service souls.service
    versions exchange publish-starter-souls souls.router`,
  "packages/api/src/rooms": `
    room-events room-limits room-throttle room-timers event-id bus replies ports log presence
    room-access-cache delivery redis room-server room-announcements room head-check polling sessions
    active-rooms`,
  "packages/api/src/chat": `
    made-by.schema chat-room.entity chat-message.entity message-reaction.entity chat.schema
    models rows access content prompt provenance usage addressing tree storing
    history people sharing live reading changes lifecycle say summaries send byok
    completions master-keys chat.router`,
  "packages/api/src/moderation": `
    moderation.schema paging evidence people cases reports notices actions cases.router`,
  "packages/api/src/account-archive": "archive-format export import account-archive.router",
  "packages/api/src/account-deletion": `
    account-deletion.entity due-account account-deletion.service steps account-deletion.router
    delete-due-accounts`,
  "packages/api/src/transport": `
    address-counts connection connection-drain stream-limit joined-replies http trpc-http v1 mcp rest
    ws`,
  "apps/server/src": `
    env version open-files log-destination setting-faults starting-server stop-with-npx observability
    discovery pages openapi api-docs site server main`,
  "apps/soul-hub/src":
    "env interrupted temporary config terminal hub archive chat folder commands program run-cli main",
  "apps/web/src": `
    clock copy-text counts stored-item draft-storage error-messages form-data hub new-room save-file theme
    trusted-types mantine-styles failures queries markdown soul-files dropped-files soul-diff
    soul-history components page-data routes router main`,
  "apps/web/src/components": `
    icons choose-image growing-textarea markdown ui feedback keys account mini-app blocks moderation exchange share
    use-it soul history admin room-list settings room soul-form shared-conversation shell`,
  "apps/web/src/components/room": `
    room-context shrink-image prepare-image failure-of-action quota-messages room-dialog room-storage closed-room
    use-quota use-room use-visible-height rename-room link-row
    reconnecting-banner silence memory people souls composer messages seen-marker versions menu side
    use-room-page open-dialog room-bar room-view kept-room`,
  "packages/soul-formats/src": `
    format-error macros soul-state text soul-files cut-fields json card markdown zip read-soul-file
    export-soul index`,
};

export const layers: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.entries(lists).map(([folder, names]) => [folder, names.trim().split(/\s+/)]),
);
