/** What a commit did to the nodes and when, read off a timeline. */
import type { AgentPhase } from '../../../src/protocol/agent-status.ts'
import type { Node } from '../cluster/node.ts'
import { check, type Report } from '../scenario.ts'
import type { Moment, Timeline } from '../timeline.ts'

/** The node has been told to become what the commit says. */
export function isAssigned({ annotations }: Moment, commit: string): boolean {
  return annotations['desired-config']?.includes(commit) ?? false
}

/** Its agent says this of the commit. */
export function saysOf({ annotations }: Moment, commit: string, phase: AgentPhase): boolean {
  const { status = '' } = annotations
  return status.includes(commit) && status.includes(`"phase":"${phase}"`)
}

/** In the order in which they were taken. */
export function assignedNodes(moments: readonly Moment[], commit: string): string[] {
  return [...new Set(moments.filter((moment) => isAssigned(moment, commit)).map(({ node }) => node))]
}

/** Each node was assigned only after the one before it had proved the commit. */
export function checkOneByOne(moments: readonly Moment[], commit: string): void {
  const order = assignedNodes(moments, commit)
  const ofNode = (name: string | undefined) => moments.filter(({ node }) => node === name)
  for (const [index, name] of order.entries()) {
    if (index === 0) continue
    const assigned = ofNode(name).find((moment) => isAssigned(moment, commit))?.at ?? 0
    const proved = ofNode(order[index - 1]).find((moment) => saysOf(moment, commit, 'Applied'))?.at ?? Number.POSITIVE_INFINITY
    check(`"${name}" waited for "${order[index - 1]}"`, assigned >= proved, { assigned, proved })
  }
}

/** No node was told twice, or twice differently, to become the same. */
export function checkAssignedOnce(moments: readonly Moment[], commit: string): void {
  for (const name of assignedNodes(moments, commit)) {
    const own = moments.filter((moment) => moment.node === name && isAssigned(moment, commit))
    const assignments = new Set(own.map(({ annotations }) => annotations['desired-config']))
    check(`"${name}" was assigned once`, assignments.size === 1, [...assignments])
  }
}

/** A kubelet that was just started may call its node unready until it looks again; nobody else may, nor at any other time. */
export function checkUndisturbed(moments: readonly Moment[]): void {
  const unready = new Set<string>()
  for (const moment of moments) {
    const { node, ready, cordoned, annotations } = moment
    if (ready) unready.delete(node)
    else unready.add(node)
    check('no node was cordoned', !cordoned, moment)
    check(
      'a node was unready only while it was changed',
      ready || (annotations.status ?? '').includes('"phase":"Applying"'),
      moment,
    )
    check('never two nodes were unready at once', unready.size < 2, moment)
  }
}

/** The first node that is assigned the commit. */
export async function firstAssigned(timeline: Timeline, commit: string): Promise<string> {
  return (await timeline.first((moment) => isAssigned(moment, commit), 'a node to be assigned')).node
}

/** The moment from which an agent says this of the commit. */
export function firstSays(timeline: Timeline, node: string, about: { commit: string; phase: AgentPhase }): Promise<Moment> {
  const says = (moment: Moment) => moment.node === node && saysOf(moment, about.commit, about.phase)
  return timeline.first(says, `"${node}" to say ${about.phase}`)
}

export interface Upgrade {
  readonly node: Node
  readonly commit: string
  readonly version: string
  /** When the commit was pushed, as `performance.now()` tells it. */
  readonly pushed: number
}

/** Report the steps of a node that is upgraded, each as the time since the push. */
export async function reportUpgrade(
  timeline: Timeline,
  { node, commit, version, pushed }: Upgrade,
  report: Report,
): Promise<void> {
  const { name } = node
  const assigned = await timeline.first(
    (moment) => moment.node === name && isAssigned(moment, commit),
    `"${name}" to be assigned`,
  )
  // An agent skips what it has no time to say, so any word of the commit will do.
  const says = ({ node: of, annotations }: Moment) => of === name && (annotations.status ?? '').includes(commit)
  const taken = await timeline.first(says, `"${name}" to have seen the commit`)
  const visible = await timeline.first(({ node: of, kubelet }) => of === name && kubelet === version, `"${name}" at ${version}`)
  const verified = await firstSays(timeline, name, { commit, phase: 'Applied' })
  const steps = { assigned: assigned.at, 'agent saw': taken.at, 'kubelet restarted': await kubeletStarted(node) }
  for (const [step, at] of Object.entries({ ...steps, 'version visible': visible.at, verified: verified.at }))
    report.time(`push → ${step}`, at - pushed)
}

/** When the kubelet's process was started, as `performance.now()` tells it. */
async function kubeletStarted(node: Node): Promise<number> {
  const sinceBoot = Number((await node.unit()).ExecMainStartTimestampMonotonic) / 1000
  return performance.now() - (Number(process.hrtime.bigint()) / 1e6 - sinceBoot)
}
