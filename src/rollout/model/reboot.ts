import { NOT_REBOOTED, REBOOT_REFUSED } from '../../protocol/agent-status.ts'
import { atMost } from '../../protocol/desired-config.ts'
import { isSameOrder, type RebootOrder } from '../../protocol/reboot-order.ts'
import { type Ceiling, selects } from './ceiling.ts'
import { isUnderDrain } from './cordon.ts'
import { type Instant, isFromAhead } from './instant.ts'
import type { NodeView } from './node-view.ts'
import type { RolloutPolicy } from './policy.ts'

export interface RebootContext {
  readonly policy: Pick<RolloutPolicy, 'reboot' | 'applyTimeout'>
  readonly ceiling?: Ceiling | undefined
  readonly now: Instant
}

/** Milliseconds. Who asks for many nodes writes one after the other, and the first to be seen need not be of the first wave. */
const STILL_WRITING = 10_000
/** Milliseconds. Some hosts require a reboot after each one, which must not drain them without end. */
const BETWEEN_REBOOTS = 86_400_000

/** When time alone changes whether the request counts. One from a clock that is further ahead counts at once, but for these moments. */
export function requestChangesAt(node: NodeView, now: Instant): Instant | undefined {
  const at = requestedAt(node)
  return [at - STILL_WRITING, at + STILL_WRITING].find((instant) => now < instant)
}

/** What a drain has begun for counts. */
function isStillWritten(node: NodeView, now: Instant): boolean {
  const at = requestedAt(node)
  return !isUnderDrain(node) && now >= at - STILL_WRITING && now < at + STILL_WRITING
}

function requestedAt({ bootId, rebootRequest }: NodeView): Instant {
  return rebootRequest?.boot === bootId ? Date.parse(rebootRequest?.at ?? '') : Number.NaN
}

/** What the node is to be rebooted for, with its next assignment; undefined: nothing, or that was ordered already. Once for each boot and request. */
export function dueReboot(node: NodeView, context: RebootContext): RebootOrder | undefined {
  const order = wantedReboot(node, context)
  return order === undefined || isOrdered(node, order) ? undefined : order
}

/** What a person asks for counts whatever the policy says. */
function wantedReboot(node: NodeView, { policy, ceiling, now }: RebootContext): RebootOrder | undefined {
  const { bootId, rebootRequest } = node
  if (bootId === undefined || isStillWritten(node, now)) return undefined
  if (rebootRequest?.boot === bootId) {
    const { boot, at } = rebootRequest
    return { boot, ...(at !== undefined && { at }) }
  }
  const isResting = waitsAfterReboot(node, { now, applyTimeout: policy.applyTimeout }) !== undefined
  const isAllowed = policy.reboot?.whenRequired === 'InWindows' && isWithinCeiling(node, ceiling)
  return isAllowed && requiresReboot(node) && !isResting ? { boot: bootId } : undefined
}

/**
 * Until when a host that requires a reboot again after one that it required has to wait. What an operator ordered, at an instant, begins no
 * loop. An order stamped further ahead than work may take, by a clock that has been put back since, does not count.
 */
export function waitsAfterReboot(
  node: NodeView,
  { now, applyTimeout }: { readonly now: Instant; readonly applyTimeout: number },
): Instant | undefined {
  const { reboot, at } = node.assigned ?? {}
  if (reboot === undefined || reboot.at !== undefined || at === undefined || !requiresReboot(node)) return undefined
  if (isFromAhead(at, { now, longest: applyTimeout })) return undefined
  return now < at + BETWEEN_REBOOTS ? at + BETWEEN_REBOOTS : undefined
}

function isOrdered({ assigned }: NodeView, order: RebootOrder): boolean {
  return order.at === undefined ? assigned?.reboot?.boot === order.boot : isSameOrder(order, assigned?.reboot)
}

/** Its host says so, of the boot that it runs with. */
export function requiresReboot({ bootId, status }: NodeView): boolean {
  return bootId !== undefined && status?.reboot?.boot === bootId
}

/** It was assigned with an order to reboot, and still runs with the boot that was to end. */
export function awaitsReboot({ bootId, assigned }: NodeView): boolean {
  return bootId !== undefined && assigned?.reboot?.boot === bootId
}

/** Its agent gave the reboot up, and the machine has rebooted after all: that failure is over. */
export function hasRebootedAfterAll({ bootId, assigned, status }: NodeView): boolean {
  const { reason } = status?.error ?? {}
  const wasGivenUp = reason === REBOOT_REFUSED || reason === NOT_REBOOTED
  return wasGivenUp && assigned?.reboot !== undefined && bootId !== undefined && assigned.reboot.boot !== bootId
}

/** The boot that a person wanted to end has ended. */
export function isRequestOver({ bootId, rebootRequest }: NodeView): boolean {
  return bootId !== undefined && rebootRequest !== undefined && rebootRequest.boot !== bootId
}

/** A commit says when hosts are rebooted, so an administrator's limits for commits hold for it. */
function isWithinCeiling(node: NodeView, ceiling: Ceiling | undefined): boolean {
  if (ceiling === undefined) return true
  if (ceiling.unreadable !== undefined) return false
  return ceiling.rules.every((rule) => rule.disruption === undefined || !selects(rule, node) || atMost('reboot', rule.disruption))
}
