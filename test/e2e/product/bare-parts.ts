/** How long each part of a bare machine's way took, by what the machine, its agent and the API server show. Nothing is asserted of it. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../cluster/api-client.ts'
import type { Node, UnitState } from '../cluster/node.ts'
import type { Report } from '../scenario.ts'
import type { Moment, Timeline } from '../timeline.ts'
import { agentUnit } from './agent.ts'

/** Times are as `performance.now()` tells them. */
export interface Fact {
  readonly name: string
  /** Undefined: nothing shows it. */
  readonly at: number | undefined
}

/** Pure: what happened after `from`, in the order in which it did; each part begins where the one before ended. */
export function partsOf(from: number, facts: readonly Fact[]): { readonly name: string; readonly milliseconds: number }[] {
  const seen = facts.flatMap(({ name, at }) => (at === undefined ? [] : [{ name, at }])).toSorted((a, b) => a.at - b.at)
  return seen.map(({ name, at }, index) => ({ name, milliseconds: at - (seen[index - 1]?.at ?? from) }))
}

export interface CertificateWatch extends Disposable {
  /** When the API server first had a certificate for somebody. */
  readonly issuedAt: () => number | undefined
}

export function watchCertificates(api: ApiClient): CertificateWatch {
  const abort = new AbortController()
  let issuedAt: number | undefined
  api.watch<{ readonly status?: { readonly certificate?: string } }>(
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    ({ object: { status } }) => {
      if (status?.certificate !== undefined) issuedAt ??= performance.now()
    },
    abort.signal,
  )
  return { issuedAt: () => issuedAt, [Symbol.dispose]: () => abort.abort() }
}

interface Place {
  readonly node: Node
  readonly timeline: Timeline
  readonly report: Report
}

/** From the start of the agent to the Node. */
export async function timeJoining({ node, timeline, report }: Place, certificates: CertificateWatch): Promise<void> {
  const started = sinceBoot((await node.unit(agentUnit)).ExecMainStartTimestampMonotonic)
  const moments = await momentsOf(node, timeline)
  tell(report, started ?? 0, [
    { name: 'agent started → certificate requested, approved and signed', at: certificates.issuedAt() },
    { name: 'certificate → the Node is there', at: moments[0]?.at },
  ])
}

/** From the end of the push to the proof. Asked before anything is restarted. */
export async function timeFirstContent({ node, timeline, report }: Place, pushed: number, version: string): Promise<void> {
  const moments = (await momentsOf(node, timeline)).filter(({ at }) => at > pushed)
  const first = (fits: (moment: Moment) => boolean) => moments.find(fits)?.at
  const [containerd, images, kubelet] = await Promise.all(['containerd', 'images', 'kubelet'].map((name) => node.unit(name)))
  tell(report, pushed, [
    { name: 'the node is assigned the commit', at: first(({ annotations }) => 'desired-config' in annotations) },
    { name: 'archives fetched, change planned', at: first((moment) => phaseOf(moment) === 'Applying') },
    { name: 'images and kubelet fetched, configuration judged by the kubelet', at: await firstFileOf(node) },
    { name: 'files, archives and units in place, containerd ready', at: activeSince(containerd) },
    { name: 'images imported', at: activeSince(images) },
    { name: 'kubelet started', at: sinceBoot(kubelet?.ExecMainStartTimestampMonotonic) },
    { name: 'kubelet reports to its Node', at: first(({ kubelet: reported }) => reported === version) },
    { name: 'Node Ready', at: first(({ ready }) => ready) },
    { name: 'runtime and kubelet proved by the agent', at: first((moment) => phaseOf(moment) === 'Applied') },
  ])
}

function tell(report: Report, from: number, facts: readonly Fact[]): void {
  for (const { name, milliseconds } of partsOf(from, facts)) report.time(`  … ${name}`, milliseconds)
  for (const { name, at } of facts) if (at === undefined) report.say(`not observed: ${name}`)
}

async function momentsOf({ name }: Node, timeline: Timeline): Promise<readonly Moment[]> {
  return (await timeline.upToNow()).filter(({ node }) => node === name)
}

function phaseOf({ annotations }: Moment): string | undefined {
  return (JSON.parse(annotations.status ?? '{}') as { readonly phase?: string }).phase
}

/** The transaction writes files before it starts anything, and everything was fetched before that. */
async function firstFileOf({ root }: Node): Promise<number | undefined> {
  const found = await stat(join(root, 'etc/containerd/config.toml')).catch(() => undefined)
  return found && found.mtimeMs - performance.timeOrigin
}

function activeSince(unit: UnitState | undefined): number | undefined {
  return sinceBoot(unit?.ActiveEnterTimestampMonotonic)
}

/** @param microseconds since the machine was booted, as systemd tells them; 0: never */
function sinceBoot(microseconds: string | undefined): number | undefined {
  const at = Number(microseconds ?? 0) / 1000
  const now = Number(process.hrtime.bigint()) / 1_000_000
  return at === 0 ? undefined : performance.now() - (now - at)
}
