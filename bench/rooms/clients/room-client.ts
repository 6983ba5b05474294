import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { MARK, nowUs } from "../peers/bench-event.ts";
import type { Dialect } from "./dialects.ts";

const CODE_MASK = 0x0f;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const FIN = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;
const MARK_CODE = MARK.charCodeAt(0);
const SPACE = 0x20;
const ZERO = 0x30;

/**
 * One receive buffer for all sockets. The data of a socket is parsed before the next socket is
 * read.
 */
const shared = Buffer.allocUnsafe(256 * 1024);

export interface ClientNeeds {
  port: number;
  soulId: number;
  room: string;
  name: string;
  dialect: Dialect;
  onSync: () => void;
  /** Called for each event, in order, with the latency in microseconds. */
  onEvent: (tookUs: number) => void;
  onFailure: (what: string) => void;
}

/**
 * A minimal WebSocket client of a room. 500 such clients need less CPU time than the measured
 * server. The client checks that every event arrives once and in order.
 */
export class RoomClient {
  readonly #needs: ClientNeeds;
  readonly #socket: Socket;
  #isUpgraded = false;
  #isLeaving = false;
  /** The sync comes first. It may contain a reply in progress, and thus a MARK. */
  #isSynced = false;
  /** The received beginning of an incomplete frame. */
  #rest: Buffer | undefined;
  #lastNumber: number | undefined;
  /**
   * The position of the character MARK in the latest event's frame. The next frame is checked there
   * first, because the position seldom changes.
   */
  #markAt = 0;
  /** The time at which the data being parsed arrived, in microseconds. */
  #readUs = 0;

  constructor(needs: ClientNeeds) {
    this.#needs = needs;
    this.#socket = connect({
      port: needs.port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (bytes, buffer) => {
          this.#read(buffer as Buffer, bytes);
          return true;
        },
      },
    });
    this.#socket.once("connect", () => this.#socket.write(this.#handshake()));
    this.#socket.once("error", ({ message }) => this.#fail(message));
    this.#socket.once("close", () => this.#fail("closed"));
  }

  leave(): void {
    this.#isLeaving = true;
    this.#socket.destroy();
  }

  #fail(what: string): void {
    if (this.#isLeaving) return;
    this.leave();
    this.#needs.onFailure(what);
  }

  #handshake(): string {
    const { dialect, name } = this.#needs;
    const key = randomBytes(16).toString("base64");
    return `GET ${dialect.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nUser-Agent: ${name}\r\n\r\n`;
  }

  #read(buffer: Buffer, bytes: number): void {
    this.#readUs = nowUs();
    const part = buffer.subarray(0, bytes);
    const data = this.#rest ? Buffer.concat([this.#rest, part]) : part;
    const begin = this.#isUpgraded ? 0 : this.#readHandshake(data);
    const end = this.#isUpgraded ? this.#readFrames(data, begin) : 0;
    // The incomplete frame is copied, because the next socket is read into the same buffer.
    this.#rest = end < data.length ? Buffer.from(data.subarray(end)) : undefined;
  }

  /**
   * Reads the HTTP response to the upgrade. Returns the offset after it, or 0 for an incomplete
   * response.
   */
  #readHandshake(data: Buffer): number {
    const end = data.indexOf("\r\n\r\n");
    if (end < 0) return 0;
    const status = data.toString("latin1", 0, data.indexOf("\r\n"));
    if (!status.startsWith("HTTP/1.1 101 ")) this.#fail(status);
    this.#isUpgraded = true;
    const { dialect, room, soulId } = this.#needs;
    const hello = dialect.hello?.(room, soulId);
    if (hello !== undefined) this.#send(TEXT, Buffer.from(hello));
    return end + 4;
  }

  /** Reads all complete frames. Returns the offset after the last one. */
  #readFrames(data: Buffer, begin: number): number {
    let at = begin;
    while (at + 2 <= data.length) {
      let head = 2;
      let length = data[at + 1] ?? 0;
      if (length === 126) {
        if (at + 4 > data.length) break;
        length = data.readUInt16BE(at + 2);
        head = 4;
      } else if (length === 127) {
        if (at + 10 > data.length) break;
        length = Number(data.readBigUInt64BE(at + 2));
        head = 10;
      }
      const end = at + head + length;
      if (end > data.length) break;
      this.#handleFrame((data[at] ?? 0) & CODE_MASK, data, at + head, end);
      at = end;
    }
    return at;
  }

  #handleFrame(code: number, data: Buffer, begin: number, end: number): void {
    if (code === TEXT) {
      const mark = this.#isSynced ? this.#findMark(data, begin, end) : -1;
      if (mark < begin) this.#handleText(data.toString("utf8", begin, end));
      else this.#handleEvent(data, mark + 1);
    } else if (code === PING) {
      this.#send(PONG, data.subarray(begin, end));
    } else if (code === CLOSE) {
      this.#fail(`closed: ${data.toString("utf8", begin + 2, end)}`);
    }
  }

  #findMark(data: Buffer, begin: number, end: number): number {
    const expected = begin + this.#markAt;
    if (expected < end && data[expected] === MARK_CODE) return expected;
    const found = data.subarray(begin, end).indexOf(MARK_CODE);
    if (found >= 0) this.#markAt = found;
    return begin + found;
  }

  #handleEvent(data: Buffer, begin: number): void {
    let at = begin;
    let number = 0;
    for (; data[at] !== SPACE; at++) number = number * 10 + ((data[at] ?? 0) - ZERO);
    let sentUs = 0;
    for (at++; data[at] !== SPACE; at++) sentUs = sentUs * 10 + ((data[at] ?? 0) - ZERO);
    // Event numbers continue across measurements of a room, so a client's first event may have any
    // number.
    if (this.#lastNumber !== undefined && number !== this.#lastNumber + 1) {
      this.#needs.onFailure(`${number} came after ${this.#lastNumber}`);
    }
    this.#lastNumber = number;
    this.#needs.onEvent(this.#readUs - sentUs);
  }

  #handleText(text: string): void {
    const reply = this.#needs.dialect.reply?.(text, this.#needs.room);
    if (reply !== undefined) this.#send(TEXT, Buffer.from(reply));
    else if (text.includes('"type":"sync"')) {
      this.#isSynced = true;
      this.#needs.onSync();
    } else if (text.includes('"error":')) this.#fail(text);
  }

  /** Sends a frame. Its mask is zero, which is valid and leaves the payload unchanged. */
  #send(code: number, payload: Buffer): void {
    const { length } = payload;
    const head = length < 126 ? 2 : 4;
    const frame = Buffer.alloc(head + MASK_BYTES + length);
    frame[0] = FIN | code;
    frame[1] = MASKED | Math.min(length, 126);
    if (head === 4) frame.writeUInt16BE(length, 2);
    payload.copy(frame, head + MASK_BYTES);
    this.#socket.write(frame);
  }
}
