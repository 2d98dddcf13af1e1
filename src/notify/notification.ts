import type { ChannelFilter } from './channel-filter.ts'

/** One thing that happened to a pool, for people and programs outside of the cluster. */
export interface Notification {
  /** The same for the same thing, whoever tells of it and how often. */
  readonly id: string
  /** Of an event or of a condition. */
  readonly reason: string
  readonly severity: 'Normal' | 'Warning'
  readonly pool: string
  /** RFC 3339; when it happened. */
  readonly time: string
  readonly message: string
  /** Commit id, in full. */
  readonly revision?: string
  readonly subject?: string
  readonly author?: string
  readonly nodes: { readonly total: number; readonly current: number }
}

/** A notification with where it comes from. */
export interface SentNotification extends Notification {
  /** As CloudEvents have it: a URI reference of who tells. */
  readonly source: string
  readonly cluster?: string
  /** By the template of the channel; plain text. */
  readonly text: string
}

/** Takes notifications to where people read them. @throws {RemoteError} */
export type Send = (notification: SentNotification, sending: Sending) => Promise<void>

export interface Sending {
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Called with what went wrong although the notification was sent. */
  readonly warn: (message: string) => void
}

/** Where notifications go, and which ones. */
export interface Channel {
  readonly name: string
  readonly filter: ChannelFilter
  /** Notifications in a minute. */
  readonly perMinute: number
  readonly send: (notification: Notification, sending: Sending) => Promise<void>
}
