import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type TouchEvent,
  useRef,
} from "react";
import { preloadMoreMenu } from "../../ui/more.tsx";
import type { OpenMenu } from "./actions/tools.ts";
import { idOfLine } from "./line-id.ts";

const LONG_PRESS_MS = 500;
/** A finger that moves further, in pixels, scrolls. */
const STILL_PX = 10;

/** Handlers of the log, which open the menu of a message by a long press or by the keyboard. */
export function useLineMenu(onMenu: (menu: OpenMenu) => void) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined);
  /** Whether the present touch has opened a menu. */
  const hasOpened = useRef(false);
  const end = () => {
    clearTimeout(press.current?.timer);
    press.current = undefined;
  };
  /** Whether the element belongs to a message with a menu, which is then open. */
  const open = (target: EventTarget): boolean => {
    const line = target instanceof Element ? target.closest<HTMLElement>(".line") : null;
    const opener = line?.querySelector<HTMLElement>(".line__more");
    if (!line || !opener) return false;
    onMenu({ id: idOfLine(line), opener });
    return true;
  };
  return {
    onPointerDown(event: PointerEvent) {
      const { target, pointerType, clientX: x, clientY: y } = event;
      end();
      hasOpened.current = false;
      // Links, buttons and fields have a long press of their own.
      if (pointerType !== "touch" || isControl(target)) return;
      preloadMoreMenu();
      const timer = setTimeout(() => {
        hasOpened.current = open(target);
      }, LONG_PRESS_MS);
      press.current = { timer, x, y };
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (!press.current) return;
      const { x, y } = press.current;
      if (Math.hypot(clientX - x, clientY - y) > STILL_PX) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    onTouchEnd(event: TouchEvent) {
      // Without a long press of its own, the browser would click the entry below the finger.
      if (hasOpened.current) event.preventDefault();
    },
    onContextMenu(event: MouseEvent) {
      // The browser's own menu would cover the sheet. A mouse keeps the browser's menu.
      const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
      if (pointerType === "touch" && !isControl(event.target)) event.preventDefault();
    },
    onKeyDown(event: KeyboardEvent) {
      const isMenuKey = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
      if (isMenuKey && !isField(event.target) && open(event.target)) event.preventDefault();
    },
  };
}

const isControl = (target: EventTarget) =>
  target instanceof Element && target.closest("a, button, input, select, textarea, label") !== null;

const isField = (target: EventTarget) =>
  target instanceof Element && target.closest("input, select, textarea") !== null;
