import { uncordonStrays } from '../rollout/drain/strays.ts'
import type { Decision } from '../rollout/model/decision.ts'
import type { Instant } from '../rollout/model/instant.ts'
import { strayProofs } from '../rollout/proof/actions.ts'
import type { Explanation } from '../rollout/status/explanation.ts'
import { isWritten, unreadStatus } from '../rollout/status/unread-status.ts'
import { CEILING_NAME } from './cache/ceiling-schema.ts'
import { earliest } from './clock/earliest.ts'
import type { ControllerParts } from './controller-parts.ts'
import { firstCommitEvents, objectEvents } from './events/object-events.ts'
import { announceMembers } from './payload-access/announce-members.ts'
import type { AcceptedHead, HeadState, UnreadHead } from './revisions/head-intake.ts'
import { unsignedNodes } from './signing/unsigned-nodes.ts'
import { type Gathered, gather, renderedFor } from './snapshot/gather.ts'
import { completeStatus } from './status/complete-status.ts'
import { throwFirst } from './writes/for-each.ts'
import {
  cordonKey,
  isNodePart,
  isPoolPart,
  labelKey,
  poolKey,
  settingsKey,
  type WriteFailures,
  writtenObject,
} from './writes/write-failures.ts'

export interface PassResult {
  /** When to pass again though nothing changes; undefined when only a change can bring anything new. */
  readonly wakeAt: Instant | undefined
  /** Milliseconds of CPU. */
  readonly took: number
}

/**
 * Looks at everything once, decides, and begins to act. What was begun goes on by itself: the next pass counts on it.
 * @throws {KubeError} when the server cannot be reached; nothing is lost by passing again later.
 */
export async function pass(parts: ControllerParts): Promise<PassResult> {
  if (parts.requests.isNew(parts.cluster.pools.items.values())) parts.ports.source.look()
  const { clock } = parts.ports
  const { restoredAt } = parts.contact
  const unkept = await parts.intake.absorb(() => clock.now(), restoredAt)
  if (restoredAt !== undefined) parts.failures.forgetAwayBefore(restoredAt)
  const { fleet, ...head } = parts.intake.state
  const began = clock.cpuUsed?.() ?? 0
  const passed = fleet ? await passWith(parts, { ...head, fleet }) : passWithout(parts, head)
  throwFirst([...unkept, ...passed.failures])
  return { wakeAt: earliest([passed.wakeAt, parts.intake.wakeAt]), took: (clock.cpuUsed?.() ?? 0) - began }
}

interface Passed {
  readonly wakeAt: Instant | undefined
  /** Mistakes of ours. */
  readonly failures: readonly unknown[]
}

/** How often an event says, in milliseconds, that not even the first commit is taken. */
const TELL_AGAIN = 10 * 60_000

function passWithout(parts: ControllerParts, head: HeadState): Passed {
  const { ports, settings, events, failures } = parts
  const now = ports.clock.now()
  if (head.lost !== undefined) showUnread(parts, { ...head, lost: head.lost }, now)
  const problems = firstCommitEvents(head, settings.namespace)
  void events.recordAgain(problems, now)
  const tellAgainAt = problems.length === 0 ? undefined : now + TELL_AGAIN
  return { wakeAt: earliest([tellAgainAt, failures.nextTry(now)]), failures: [] }
}

/** Each NodePool says why nothing is done. One without a status may get back what it remembered, later. */
function showUnread({ cluster, journal, background }: ControllerParts, { lost, ...head }: UnreadHead, now: Instant): void {
  const { observed, trouble } = head
  const obstacle = obstacleIn(head)
  for (const { name, status } of cluster.pools.items.values()) {
    if (!isWritten(status)) continue
    const unread = unreadStatus(status, { lost, observed, obstacle, trouble, now })
    background.begin(poolKey(name), () => journal.show(name, { status: unread, now }))
  }
}

/** The same reasons as of pools that go on with what was accepted. */
function obstacleIn({ problem, untrusted, held }: HeadState): Explanation | undefined {
  if (problem !== undefined) return { reason: 'InvalidRepository', message: problem }
  if (untrusted !== undefined) return { reason: 'UntrustedCommit', message: untrusted }
  return held === undefined ? undefined : { reason: 'CommitNeedsPromotion', message: held }
}

async function passWith(parts: ControllerParts, head: AcceptedHead): Promise<Passed> {
  const { cluster, failures, decider, events, garbage, background } = parts
  const now = parts.ports.clock.now()
  failures.retain(mayExist(parts, head, now))
  parts.poolWrites.recall()
  const gathered = await gather(parts, head)
  const { decisions, undecided } = decider.decide(gathered.fleet, now)
  const wakes = act(parts, { head, gathered, decisions, now })
  const refusals = failures.refusals(now)
  void events.record(
    objectEvents({ ofNodes: parts.roster.events(gathered.nodes), head, undecided, refusals, pools: cluster.pools.items }),
    now,
  )
  background.begin('object garbage', () => garbage.collect({ fleet: head.fleet, gathered, now }))
  return { wakeAt: earliest([...wakes, failures.nextTry(now), garbage.nextLook(now)]), failures: [...undecided.values()] }
}

/** Milliseconds after which a payload that may be written again, and is not, is needed by no node. */
const UNTRIED = 10 * 60_000

/**
 * What failed for a node or a NodePool that is gone, or for a cordon that is, is no news any more. A NodePool that cannot be created is not there
 * yet.
 */
function mayExist(
  { cluster, cordons }: ControllerParts,
  { fleet }: AcceptedHead,
  now: Instant,
): Parameters<WriteFailures['retain']>[0] {
  const left = new Set(cordons.left().map((node) => cordonKey(node.name)))
  return (object, { about, until }) => {
    const { kind, name } = writtenObject(object)
    if (kind === 'payload') return now < until + UNTRIED
    if (kind === 'cordon') return left.has(object)
    if (isNodePart(kind)) return cluster.nodes.get(name) !== undefined
    if (!isPoolPart(kind)) return true
    const pool = cluster.pools.get(name)
    return about === (pool?.uid ?? '') && (pool !== undefined || fleet.pools.has(name))
  }
}

interface Decided {
  readonly head: AcceptedHead
  readonly gathered: Gathered
  readonly decisions: ReadonlyMap<string, Decision>
  readonly now: Instant
}

/** Each pool on its own. @returns when each wants the next pass */
function act(parts: ControllerParts, { head, gathered, decisions, now }: Decided): readonly (Instant | undefined)[] {
  const { cluster, poolWrites, proofs, proofWrites, mirror, background, renderer, settingsWatch, failures, lostPayloads } = parts
  const { signer } = parts.ports
  const { nodes, members } = gathered
  const toRead = Map.groupBy(gathered.toRead, ({ view }) => view.assigned?.pool)
  poolWrites.beginAtOnce(STRAYS, { actions: uncordonStrays(gathered.fleet.strays ?? []), nodes, now })
  for (const node of parts.cordons.left()) background.begin(cordonKey(node.name), () => parts.cordons.liftLeft(node))
  const ceiling = cluster.ceilings.get(CEILING_NAME)?.ceiling
  const mayTry = (node: string): boolean => failures.mayTry(settingsKey(node), now)
  const about = { revisions: gathered.revisions, renderer, now, ceiling, mayTry }
  for (const stray of strayProofs(proofs.pods, (node) => isOfAPool(gathered, node))) proofWrites.begin(stray)
  mirror.remember(head.fleet)
  for (const view of mirror.gone(head.fleet)) background.begin(poolKey(view.name), () => mirror.remove(view))
  const wakes = [...head.fleet.pools.values()].flatMap((compiled) => {
    const decision = decisions.get(compiled.name)
    if (!decision) return []
    const { generation = 0 } = cluster.pools.get(compiled.name) ?? {}
    const status = completeStatus(decision.status, {
      generation,
      observedRevision: head.observed,
      acceptedRevision: head.fleet.commit,
    })
    const rendered = renderedFor(gathered, { pool: compiled.name, renderer })
    const ofPool = members.byPool.get(compiled.name) ?? []
    const restored = settingsWatch.due(compiled.name, { ...about, nodes: ofPool })
    announceMembers(parts.access, { actions: decision.actions, nodes, members: ofPool, rendered })
    const cutOff = lostPayloads.of(toRead.get(compiled.name) ?? [], { rendered, now })
    if (cutOff.length > 0) background.begin(`object payloads-of-${compiled.name}`, () => lostPayloads.restore(cutOff))
    const dueAt = poolWrites.begin(compiled.name, { compiled, decision: { ...decision, status }, nodes, rendered, now })
    // After what was decided: a node takes one write at a time.
    const unsigned = signer ? unsignedNodes(compiled.name, { nodes: ofPool, keyId: signer.keyId }) : []
    for (const actions of [unsigned, restored]) poolWrites.beginAtOnce(compiled.name, { actions, nodes, rendered, now })
    return [decision.wakeAt, dueAt]
  })
  return [...wakes, writeLabels(parts, gathered, now)]
}

/** Another tool may take off each label that it does not know. @returns when a label that was written too often may be written again */
function writeLabels(
  { failures, limits, poolWrites }: ControllerParts,
  { members, nodes }: Gathered,
  now: Instant,
): Instant | undefined {
  limits.label.forgetOld(now)
  const due = members.mislabelled.filter(({ node: name }) => {
    const node = nodes.get(name)
    return node !== undefined && failures.mayTry(labelKey(name), now) && limits.label.mayWrite(name)
  })
  for (const [pool, actions] of Map.groupBy(due, (action) => action.pool)) poolWrites.beginAtOnce(pool, { actions, nodes, now })
  return earliest(members.mislabelled.map(({ node }) => limits.label.nextAt(node)))
}

function isOfAPool({ members, nodes }: Gathered, name: string): boolean {
  const node = nodes.get(name)
  return node !== undefined && !members.strays.includes(node)
}

/** Nobody's pool, so nobody's budget either. */
const STRAYS = ''
