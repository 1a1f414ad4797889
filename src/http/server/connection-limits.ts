import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Most connections without an accepted credential. `all` of them, and of one address. */
export interface ConnectionLimits {
  all: number;
  eachAddress: number;
}

/** Counts connections until a request on them has a credential that the service accepts. */
export interface StrangerConnections {
  /** A request of a connection is handled: it is not closed before `end`. False: a credential was accepted on it before. */
  begin(socket: Socket): boolean;
  end(socket: Socket): void;
  /** A credential was accepted: the connection does not count any more. */
  accept(socket: Socket): void;
}

/** What is known of a connection. */
interface Stranger {
  address: string;
  /** Requests that are handled. */
  active: number;
}

/**
 * Closes connections of strangers when there are too many: the oldest one without a request in progress, or else the new one. A
 * program without a key could hold all descriptors otherwise, 1,600 connections that send nothing.
 */
export function limitStrangers(
  server: Server,
  { all, eachAddress }: ConnectionLimits = { all: Infinity, eachAddress: Infinity },
): StrangerConnections {
  /** In order of their arrival. */
  const strangers = new Map<Socket, Stranger>();
  const byAddress = new Map<string, number>();

  function forget(socket: Socket): void {
    const stranger = strangers.get(socket);
    if (!stranger) return;
    strangers.delete(socket);
    const left = (byAddress.get(stranger.address) ?? 0) - 1;
    if (left > 0) byAddress.set(stranger.address, left);
    else byAddress.delete(stranger.address);
  }

  /** The oldest connection that nobody uses. `address`: of this one only. */
  function oldestIdle(address?: string): Socket | undefined {
    for (const [socket, stranger] of strangers) {
      if (stranger.active === 0 && (address === undefined || stranger.address === address)) return socket;
    }
    return undefined;
  }

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const ofAddress = byAddress.get(address) ?? 0;
    const isFull = ofAddress >= eachAddress || strangers.size >= all;
    const closed = isFull ? (oldestIdle(ofAddress >= eachAddress ? address : undefined) ?? socket) : undefined;
    if (closed) forget(closed);
    closed?.destroy();
    if (closed === socket) return;
    strangers.set(socket, { address, active: 0 });
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
    socket.once("close", () => forget(socket));
  });

  return {
    begin(socket) {
      const stranger = strangers.get(socket);
      if (stranger) stranger.active++;
      return stranger !== undefined;
    },
    end(socket) {
      const stranger = strangers.get(socket);
      if (stranger) stranger.active--;
    },
    accept: forget,
  };
}
