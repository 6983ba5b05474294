import type { ReactElement } from "react";

/** Icons of strokes on a 24 × 24 grid. An icon package would outweigh the rest of the page. */
function icon(drawing: string | ReactElement) {
  return function Icon({ size = 20 }: { size?: number }) {
    return (
      <svg
        aria-hidden="true"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        style={{ flexShrink: 0 }}
      >
        {typeof drawing === "string" ? <path d={drawing} /> : drawing}
      </svg>
    );
  };
}

export const SearchIcon = icon("M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4 4");
export const PlusIcon = icon("M12 5v14M5 12h14");
export const HeartIcon = icon(
  "M12 20s-7.5-4.6-7.5-10A4.3 4.3 0 0 1 12 7.4 4.3 4.3 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10Z",
);
export const ForkIcon = icon(
  "M7 4.5v4A3.5 3.5 0 0 0 10.5 12h3A3.5 3.5 0 0 0 17 8.5v-4M12 12v7.5M5 4.5h4M15 4.5h4M10 19.5h4",
);
export const StarIcon = icon(
  "m12 4 2.4 5 5.6.700-4.1 3.8 1.1 5.5-5-2.7L7 19l1.1-5.5L4 9.7 9.6 9 12 4Z",
);
export const TalkIcon = icon(
  "M5 5h14a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 19 17h-6.5L8 20.5V17H5a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 5 5Z",
);
export const ImageIcon = icon(
  "M4.5 5h15v14h-15V5ZM5 16.500l4-4.500 3 3 2.500-2.500L19 17M15.500 9v.01",
);
export const CrossIcon = icon("M6.500 6.500l11 11M17.500 6.500l-11 11");
export const SunIcon = icon(
  "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
);
export const MoonIcon = icon("M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z");
export const AutoIcon = icon(
  <>
    <circle cx="12" cy="12" r="8" />
    <path d="M12 4v16a8 8 0 0 0 0-16Z" fill="currentColor" />
  </>,
);
export const LinkIcon = icon(
  "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
);
export const CheckIcon = icon("m5 12.5 4.5 4.5L19 7.5");
export const CopyIcon = icon(
  "M9 9h9.5a1.5 1.5 0 0 1 1.5 1.5V20H10.5A1.5 1.5 0 0 1 9 18.5V9ZM15 9V5.5A1.5 1.5 0 0 0 13.5 4H4v9.5A1.5 1.5 0 0 0 5.5 15H9",
);
export const SendIcon = icon("M12 19V5M6 11l6-6 6 6");
export const StopIcon = icon(
  <rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor" />,
);
export const LockIcon = icon("M6 11h12v8.5H6V11ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3");
export const OffRecordIcon = icon(
  "M3 12s3.500-6 9-6 9 6 9 6-3.500 6-9 6-9-6-9-6ZM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5ZM4.500 19.500l15-15",
);
const bell = "M12 4a5 5 0 0 0-5 5v4l-1.500 3h13L17 13V9a5 5 0 0 0-5-5ZM10.500 19h3";
export const BellIcon = icon(bell);
export const BellOffIcon = icon(`${bell}M4 4l16 16`);
export const DownIcon = icon("M12 5v14M6 13l6 6 6-6");
export const EditIcon = icon("M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4");
export const TrashIcon = icon("M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 12.5h9l1-12.5M10 11v5M14 11v5");
export const FileIcon = icon("M6 3.5h8l4.5 4.5v12.5H6v-17ZM14 3.5V8h4.5");
export const AlertIcon = icon("M12 4 2.8 19.5h18.4L12 4ZM12 10v4.5M12 17v.01");
export const UserIcon = icon("M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0");
export const SignOutIcon = icon("M10 4H5v16h5M9 12h11M16 8l4 4-4 4");
export const BackIcon = icon("M19 12H5M11 6l-6 6 6 6");
export const AgainIcon = icon("M5 12a7 7 0 1 1 2.1 5M5 12V6.5M5 12h5.5");
export const SmileIcon = icon(
  "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM8.5 14c.8 1.3 2 2 3.5 2s2.7-.7 3.5-2M9 9.5v.01M15 9.5v.01",
);
export const MoreIcon = icon(<path d="M6 12v.01M12 12v.01M18 12v.01" strokeWidth="2.6" />);
export const PeopleIcon = icon(
  "M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM2.500 19.500a6.500 6.500 0 0 1 13 0M16 5a3.500 3.500 0 0 1 0 6.500M18 14a6.500 6.500 0 0 1 3.500 5.500",
);
export const ShareIcon = icon("M12 15V4M8 7.500 12 3.500l4 4M6 11H4.500v9.500h15V11H18");
export const DownloadIcon = icon("M12 4v11M7.500 11l4.500 4.500L16.500 11M4.500 19.500h15");
export const FlagIcon = icon("M6 21V4M6 4.500h11.500l-2.500 4 2.500 4H6");
export const BanIcon = icon("M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM6.500 6.500l11 11");
