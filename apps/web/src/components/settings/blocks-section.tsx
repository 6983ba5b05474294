import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fullDate } from "../../clock.ts";
import { blockList } from "../../queries.ts";
import { BlockButton } from "../blocks/block-button.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { StoredRow } from "./stored-row.tsx";

/** The people whom the member has blocked (0064). */
export function BlocksSection() {
  const { data: blocks, error } = useQuery(blockList);
  return (
    <SettingsSection title="Blocked people">
      <FailureNote error={error} />
      {blocks?.length === 0 && (
        <p>You have blocked nobody. You can block a person on their profile or in a room.</p>
      )}
      {blocks && blocks.length > 0 && (
        <ul className="divided">
          {blocks.map(({ username, created_at }) => (
            <StoredRow
              key={username}
              name={
                <Link to="/u/$username" params={{ username }} className="quiet-link">
                  {username}
                </Link>
              }
              facts={[`Since ${fullDate(created_at)}`]}
            >
              <BlockButton username={username} />
            </StoredRow>
          ))}
        </ul>
      )}
    </SettingsSection>
  );
}
