import type { RepoFile, RepoSnapshot } from '../../../src/protocol/repo-snapshot.ts'
import type { Random } from '../random.ts'

/**
 * What becomes of a node that is given a content. cuts: as long as it is on the host, nothing reaches the API server from there. withers: its kubelet
 * is well at first, and dies in its trial. slow: it works, and one node does not end it in time. invalid: nobody is given it, since the commit is refused as a whole.
 */
export type Outcome = 'good' | 'crash' | 'cuts' | 'withers' | 'slow' | 'invalid'

/** In the file of the kubelet's flags. */
export const CUTS = 'content=cuts-'
/** The same. */
export const WITHERS = 'content=withers-'

export interface Content {
  readonly name: string
  readonly outcome: Outcome
}

export interface PoolRules {
  readonly name: string
  readonly maxUnavailable: number
  readonly onFailure: 'Halt' | 'Rollback'
  readonly canary: boolean
  readonly drains: boolean
  /** Seconds. */
  readonly soak: number
  /** A pod has to run on each node that reports a pause image. */
  readonly proves: boolean
  /** Seconds after which work, or an agent that says nothing, has failed. Default: as for everybody */
  readonly timeout?: number
  /** Pools that complete a commit first. Default: none */
  readonly dependsOn?: readonly string[]
  /** Failed nodes that a rollout bears. Default: none */
  readonly maxFailures?: number
  /** Nodes of the canary wave, if there is one. Default: 1 */
  readonly canaries?: number
}

export function drawPoolRules(name: string, random: Random): PoolRules {
  return { ...drawRules(name, random), soak: 60, proves: false }
}

/** Also soaks of any length, and proofs. */
export function drawLateRules(name: string, random: Random): PoolRules {
  return { ...drawRules(name, random), soak: random.pick([0, 60, 180, 180]), proves: random.chance(0.5) }
}

/** Also soaks that are longer than a failover. */
export function drawClockRules(name: string, random: Random): PoolRules {
  return { ...drawRules(name, random), soak: random.pick([60, 180, 600]), proves: false }
}

/** Two of its nodes get a commit side by side, and fail side by side, without an end of the rollout. */
const TOLERANT = { maxFailures: 2, maxUnavailable: 2, canaries: 2, drains: false, timeout: 90 } as const

/** Also pools that wait for each other, deadlines that are shorter than watches are behind, and failures that do not stop a rollout. */
export function drawBehindRules(name: string, random: Random): PoolRules {
  const dependsOn = name === 'workers' && random.chance(0.6) ? ['gpu'] : []
  return {
    ...drawRules(name, random),
    soak: random.pick([0, 60, 180]),
    proves: false,
    timeout: random.pick([90, 600]),
    dependsOn,
    ...(random.chance(0.4) ? TOLERANT : {}),
  }
}

function drawRules(name: string, random: Random): Omit<PoolRules, 'soak' | 'proves'> {
  return {
    name,
    maxUnavailable: 1 + random.below(2),
    onFailure: random.pick(['Halt', 'Rollback']),
    canary: random.chance(0.5),
    drains: random.chance(0.5),
  }
}

const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'

/** A commit of a fleet in which each pool has such a content. */
export function commitOf(number: number, pools: ReadonlyMap<PoolRules, Content>): RepoSnapshot {
  const names = new Set([...pools.keys()].map(({ name }) => name))
  const documents = [...pools].map(([rules, content]) => {
    return poolDocument({ ...rules, dependsOn: (rules.dependsOn ?? []).filter((name) => names.has(name)) }, content)
  })
  const fleet = `${HEAD} Fleet\nmetadata: {name: fleet}\nspec: {historyLimit: 3}\n`
  const text = [fleet, ...documents].join('---\n')
  return {
    commit: number.toString(16).padStart(4, '0').repeat(10),
    author: { name: 'Ada', email: 'ada@example.com' },
    committedAt: 0,
    message: [...pools.values()].map(({ name }) => name).join(' '),
    parents: [],
    files: new Map<string, RepoFile>([['fleet.yaml', { kind: 'file', bytes: Buffer.from(text) }]]),
  }
}

const PREFIXES: Partial<Record<Outcome, string>> = { cuts: CUTS, withers: WITHERS }

function poolDocument(
  {
    name,
    maxUnavailable,
    onFailure,
    canary,
    drains,
    soak,
    proves,
    timeout,
    dependsOn = [],
    maxFailures = 0,
    canaries = 1,
  }: PoolRules,
  { name: content, outcome }: Content,
): string {
  const waves = canary ? `waves: [{name: canary, nodes: ${canaries}, soak: ${soak}s}, {name: rest, nodes: 100%}], ` : ''
  const label = `${PREFIXES[outcome] ?? 'content='}${content}`
  const deadlines = timeout === undefined ? '' : `applyTimeout: ${timeout}s, agentTimeout: ${timeout}s, `
  const endpoint = outcome === 'crash' ? ', container-runtime-endpoint: "unix:///none.sock"' : ''
  return `${HEAD} NodePool
metadata: {name: ${name}}
spec:
  nodeSelector: {matchLabels: {role: ${name}}}
  dependsOn: [${dependsOn.join(', ')}]
  kubelet:
    flags: {node-labels: "${label}"${endpoint}}
${outcome === 'invalid' ? '    colour: red\n' : ''}  rollout: {${waves}${deadlines}maxUnavailable: ${maxUnavailable}, maxFailures: ${maxFailures}, onFailure: ${onFailure}, trial: 1m, proof: {pod: {mode: ${proves ? 'Always' : 'Never'}, timeout: 5m}}, drain: {mode: ${drains ? 'Always' : 'Never'}}}
`
}
