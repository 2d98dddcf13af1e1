import type { KubeApi } from '../../kube/kube-api.ts'
import { wantedBy } from '../../notify/channel-filter.ts'
import type { Channel, Notification } from '../../notify/notification.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { RemoteError } from '../../remote/remote-error.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import type { NotificationResult } from '../metrics/telemetry.ts'
import { RemoteRounds } from '../remote-rounds/remote-rounds.ts'
import { type CurrentPools, dueNotifications, MINUTE, withSent } from './due-notifications.ts'
import { type NotifiedPool, obstacleNotifications, rolloutNotifications } from './pool-notifications.ts'
import type { SentMarks, SentRecord } from './sent-record.ts'
import { SentStore } from './sent-store.ts'

export interface NotifierOptions {
  readonly channel: Channel
  readonly pools: () => Iterable<NotifiedPool>
  /** Also takes what was sent at the very end of a term. */
  readonly kube: KubeApi
  readonly namespace: string
  readonly clock: Clock
  readonly log: Log
  /** Called with the result of each attempt to send. */
  readonly tried?: (result: NotificationResult) => void
}

/** Milliseconds: another leader waits for this one. */
const GRACE = 500

/**
 * Sends one channel what happens to pools. What was sent is recorded in the cluster, so another leader sends nothing twice; only a process that
 * ends between a message and its record leaves that one to be sent again, with the same id. No rollout waits for it.
 */
export class Notifier {
  readonly #options: NotifierOptions
  readonly #rounds: RemoteRounds
  readonly #store: SentStore
  #told: SentMarks | undefined
  #sentAt: readonly Instant[] = []
  /** Sent, and not known to be recorded. */
  #unrecorded: readonly Notification[] = []

  constructor(options: NotifierOptions) {
    this.#options = options
    this.#rounds = new RemoteRounds({ ...options, name: `notifications to "${options.channel.name}"`, inOrder: true })
    this.#store = new SentStore({ ...options, channel: options.channel.name })
  }

  /** The pools may have changed. */
  readonly fire = (): void => this.#rounds.fire()

  /** A message that is under way at the end is recorded still: whoever leads next would send it again. */
  async run(ending: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const late = new AbortController()
    const wait = async () => {
      await clock.sleepUntil(clock.now() + GRACE, late.signal)
      late.abort()
    }
    ending.addEventListener('abort', () => void wait())
    try {
      await this.#rounds.run(() => this.#round({ signal: late.signal, ending }), ending)
    } finally {
      late.abort()
    }
  }

  async #round({ signal, ending }: { readonly signal: AbortSignal; readonly ending: AbortSignal }): Promise<Instant | undefined> {
    const { clock, channel } = this.#options
    const [pools, now] = [[...this.#options.pools()], clock.now()]
    const isWanted = wantedBy(channel.filter)
    const rollouts = pools.flatMap((pool) => rolloutNotifications(pool, now)).filter(isWanted)
    const all = rollouts.concat(pools.flatMap(obstacleNotifications).filter(isWanted))
    const told = this.#told ?? (await this.#begin({ rollouts, all }, signal))
    this.#forget(all)
    const wanted = all.filter(({ id }) => !this.#rounds.refusals.isWaiting(id, now))
    this.#sentAt = this.#sentAt.filter((at) => at <= now && now - at < MINUTE)
    const { due, wakeAt } = dueNotifications({ wanted, told, sentAt: this.#sentAt, channel }, now)
    const standing = { pools: new Set(pools.map(({ name }) => name)), wanted: all, signal }
    for (const notification of due) if (!ending.aborted) await this.#tell(notification, standing)
    return wakeAt
  }

  /** To a channel that is new, or that did not want to hear of them, rollouts before it are no news. */
  async #begin(
    { rollouts, all }: Readonly<Record<'rollouts' | 'all', readonly Notification[]>>,
    signal: AbortSignal,
  ): Promise<SentMarks> {
    const record = await this.#store.read(signal)
    const old = record === undefined ? rollouts : this.#unwantedBefore(record, rollouts)
    const added = [...old, ...this.#unrecorded]
    if (record && added.length === 0 && isSameData(record.filter, this.#options.channel.filter)) return this.#keep(record.told)
    const known = record?.told ?? new Map()
    return this.#write(withSent(known, added, { pools: new Set(known.keys()), wanted: all }), signal)
  }

  #unwantedBefore({ filter }: SentRecord, rollouts: readonly Notification[]): readonly Notification[] {
    const wasWanted = filter ? wantedBy(filter) : () => true
    return rollouts.filter((each) => !wasWanted(each))
  }

  async #tell(
    notification: Notification,
    { signal, ...standing }: CurrentPools & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { id, reason, pool } = notification
    await this.#rounds.unlessRefused({ key: id, shown: `${reason} of pool "${pool}"` }, async () => {
      await this.#send(notification, signal)
      this.#unrecorded = [...this.#unrecorded, notification]
      await this.#write(withSent(this.#told ?? new Map(), [notification], standing), signal)
    })
  }

  async #send(notification: Notification, signal: AbortSignal): Promise<void> {
    const { channel, clock, log, tried } = this.#options
    const warn = (message: string) => log('warn', `notifications to "${channel.name}": ${message}`)
    this.#sentAt = [...this.#sentAt, clock.now()]
    try {
      await channel.send(notification, { signal, now: clock.now(), warn })
      tried?.('sent')
    } catch (error) {
      if (!signal.aborted) tried?.(error instanceof RemoteError && error.isRefusal ? 'refused' : 'failed')
      throw error
    }
  }

  /** What another one wrote is read again in the next round. */
  async #write(told: SentMarks, signal: AbortSignal): Promise<SentMarks> {
    this.#keep(told)
    try {
      await this.#store.write({ told, filter: this.#options.channel.filter }, signal)
    } catch (error) {
      this.#told = undefined
      throw error
    }
    this.#unrecorded = []
    return told
  }

  #keep(told: SentMarks): SentMarks {
    this.#told = told
    return told
  }

  #forget(wanted: readonly Notification[]): void {
    const ids = new Set(wanted.map(({ id }) => id))
    for (const key of this.#rounds.refusals.keys()) if (!ids.has(key)) this.#rounds.refusals.delete(key)
  }
}
