import type { ApiServer, SkewFacts } from '../model/fleet-facts.ts'
import type { ControlPlaneView } from './control-plane-view.ts'
import { missingHosts } from './instances.ts'

/** How many minors a kubelet may be behind an API server. */
const BEHIND = 3

export interface SkewBreach {
  readonly message: string
  /** What is missing will be seen by itself; a version that is wrong takes a person. */
  readonly passes: boolean
}

export function skewFacts(view: ControlPlaneView): SkewFacts {
  const pods = view.instances.filter(({ component }) => component === 'kube-apiserver')
  const silent = pods.find(({ version }) => version === undefined || ordinalOf(version) === undefined)
  const [missing] = missingHosts('kube-apiserver', view)
  if (view.outdated !== undefined) return { kind: 'unknown', why: view.outdated }
  if (view.answers.length === 0) return { kind: 'unknown', why: 'the API server has not reported its version' }
  if (missing !== undefined) return { kind: 'unknown', why: `no API server is seen on control-plane node "${missing}"` }
  if (silent) return { kind: 'unknown', why: `the image of pod "${silent.name}" has no tag that says its version` }
  return rangeOf([
    ...view.answers.map((version) => ({ name: 'the API server', version })),
    ...pods.map(({ name, version = '' }) => ({ name: `API server "${name}"`, version })),
  ])
}

function rangeOf(servers: readonly ApiServer[]): SkewFacts {
  const known = servers.toSorted((a, b) => (ordinalOf(a.version) ?? 0) - (ordinalOf(b.version) ?? 0))
  const [oldest] = known
  const newest = known.at(-1)
  if (!oldest || !newest || ordinalOf(oldest.version) === undefined)
    return { kind: 'unknown', why: `the version of the API server, "${oldest?.version}", cannot be read` }
  return { kind: 'known', oldest, newest }
}

/** @returns undefined for a kubelet that every API server takes. Patch releases of one minor go together, whichever is the newer. */
export function skewBreach(version: string, facts: SkewFacts): SkewBreach | undefined {
  if (facts.kind === 'unknown') return { message: `kubelet ${version} cannot be checked: ${facts.why}`, passes: true }
  const kubelet = ordinalOf(version) ?? Number.NaN
  const [low, high] = [(ordinalOf(facts.newest.version) ?? 0) - BEHIND, ordinalOf(facts.oldest.version) ?? 0]
  if (kubelet >= low && kubelet <= high) return undefined
  const [fault, server] = kubelet < low ? [`more than ${BEHIND} minors older than`, facts.newest] : ['newer than', facts.oldest]
  const allowed = low === high ? minorText(low) : low < high ? `${minorText(low)} to ${minorText(high)}` : 'none'
  return { message: `kubelet ${version} is ${fault} ${server.name} at ${server.version}; allowed: ${allowed}`, passes: false }
}

/** Whether a change from one version to another goes back by a minor version. Unknown versions go nowhere. */
export function goesDown(from: string | undefined, to: string | undefined): boolean {
  const [before, after] = [ordinalOf(from ?? ''), ordinalOf(to ?? '')]
  return before !== undefined && after !== undefined && after < before
}

const MINORS = 1000

/** Grows by one with each minor. @returns undefined for what is no version; vendors put more behind it, such as `v1.36.3-eks-1a2b3c`. */
function ordinalOf(version: string): number | undefined {
  const [, major, minor] = /^v?(\d{1,3})\.(\d{1,3})(?!\d)/.exec(version) ?? []
  return major === undefined ? undefined : Number(major) * MINORS + Number(minor)
}

function minorText(ordinal: number): string {
  return `${Math.floor(ordinal / MINORS)}.${ordinal % MINORS}`
}
