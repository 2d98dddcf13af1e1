import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import type { CliIo } from '../cli-io.ts'
import { capture } from './capture.ts'
import type { FleetView, NodeSight } from './fleet-view.ts'
import type { Stage } from './stage.ts'

export interface Scene {
  readonly name: string
  /** What is about to happen, for people. */
  readonly title: string
  /** @returns what was checked at its end. @throws when something is not as it should be. */
  readonly play: (stage: Stage, io: CliIo) => Promise<string>
}

/** Milliseconds after which a scene has failed. */
const PATIENCE = 40_000
const FLAGS = 'flags/baseline.yaml'
const MISSPELT_SOCKET = 'unix:///run/containerd/containerd.sok'
const POOLS = ['control-plane', 'gpu', 'workers']

export const scenes: readonly Scene[] = [
  {
    name: 'first-rollout',
    title: 'The example fleet is pushed: nodewave brings the nodes to what it says.',
    play: async ({ git, view, machines }) => {
      await git.commit('fleet: the machines as they are to be')
      const commit = await git.push()
      await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
      check(count(view, applied) === machines.length, 'every node reports what it runs as applied')
      return `${machines.length} nodes in ${view.pools.size} pools run what the repository says`
    },
  },
  {
    name: 'minor-upgrade',
    title: 'An upgrade is pushed: kubelet 1.35.4 → 1.36.3, a canary first, then in waves.',
    play: async ({ git, view, machines }) => {
      const waves = recordWaves(view, 'workers')
      for (const pool of POOLS) await git.edit(`pools/${pool}.yaml`, '"1.35.4"', '"1.36.3"')
      await git.commit('pools: kubelet 1.36.3')
      const commit = await git.push()
      await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
      check(count(view, runs('v1.36.3')) === machines.length, 'every node shows kubelet v1.36.3')
      check(
        waves().join() === 'canary,early,rest',
        `the workers went through canary, early and rest; seen: ${waves().join(', ')}`,
      )
      return `${machines.length} nodes show kubelet v1.36.3; the workers went canary → early → rest`
    },
  },
  {
    name: 'misspelt-flag',
    title: 'A misspelt flag: "nodewave plan" refuses it; pushed, the fleet stays as it is.',
    play: async ({ git, view, kubeconfig }, io) => {
      const before = assignments(view)
      await git.edit(FLAGS, '    v: 2\n', '    v: 2\n    max-podz: 110\n')
      const commit = await git.commit('flags: more pods')
      const plan = await capture(['plan', git.folder, '--from', 'HEAD~1', '--to', 'HEAD', '--kubeconfig', kubeconfig], io)
      io.stdout(indent(plan.output))
      check(plan.code === 2 && plan.output.includes(`${FLAGS}:`), 'plan refuses the commit and names file and line')
      await git.push()
      await view.until('every pool reports the invalid commit', { when: everyPool('InvalidRepository'), timeout: PATIENCE })
      check(assignments(view) === before, 'no node was assigned anything')
      return `${short(commit)} is refused at its line; all nodes stay on the last valid commit`
    },
  },
  {
    name: 'crashing-kubelet',
    title: 'A commit passes every check and makes the kubelet crash at its start.',
    play: async ({ git, view }) => {
      await git.revert(await git.head())
      const flag = `    flags: {container-runtime-endpoint: "${MISSPELT_SOCKET}"}\n`
      await git.edit('pools/workers.yaml', '    flagSets: [baseline]\n', `    flagSets: [baseline]\n${flag}`)
      await git.commit('workers: another runtime endpoint')
      const hit = recordFailures(view)
      const bad = await git.push()
      await view.until('the workers are rolled back', { when: rolledBack('workers', bad), timeout: PATIENCE })
      const failed = hit()
      check(failed.size === 1, `one node alone was touched and failed; seen: ${[...failed.keys()].join(', ') || 'none'}`)
      const [[canary = '', words = ''] = []] = failed
      check(words.includes(MISSPELT_SOCKET), `the reason holds the kubelet's own last words: ${words}`)
      check(
        applied(view.nodes.get(canary)) && count(view, ready) === view.nodes.size,
        'its host was put back, and every node is Ready',
      )
      return `${canary} failed ("${words.slice(0, 90)}…"), was put back, and the pool returned; no other worker was touched`
    },
  },
  {
    name: 'revert',
    title: 'Its revert is pushed: nothing has to change, and every pool is Ready again.',
    play: async ({ git, view }) => {
      const before = digests(view)
      await git.revert(await git.head())
      const commit = await git.push()
      await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
      check(digests(view) === before, 'no node had to change: a digest decides, not a commit')
      check(count(view, (node) => applied(node) && runs('v1.36.3')(node)) === view.nodes.size, 'every node is healthy on v1.36.3')
      return 'every pool is Ready at the revert, and no kubelet was restarted for it'
    },
  },
]

/** Every pool completed the commit and is Ready at it. */
function completed(commit: string): (view: FleetView) => boolean {
  return (view) =>
    view.pools.size === POOLS.length &&
    [...view.pools.values()].every(({ status }) => status?.stable?.revision === commit && status.conditions.some(isReady))
}

function isReady({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === 'Ready' && status === 'True'
}

function everyPool(reason: string): (view: FleetView) => boolean {
  return (view) =>
    [...view.pools.values()].every(({ status }) => status?.conditions.some((condition) => condition.reason === reason))
}

function rolledBack(pool: string, bad: string): (view: FleetView) => boolean {
  return (view) => {
    const { status } = view.pools.get(pool) ?? {}
    const isRejected = status?.rejected.some(({ revision }) => revision === bad) ?? false
    return (
      isRejected && status !== undefined && status.nodes.current === status.nodes.total && count(view, ready) === view.nodes.size
    )
  }
}

/** Names of the waves that a pool is seen in, in order, until asked. */
function recordWaves(view: FleetView, pool: string): () => string[] {
  const seen: string[] = []
  const stop = view.onChange(() => {
    const name = view.pools.get(pool)?.status?.wave?.name
    if (name !== undefined && seen.at(-1) !== name) seen.push(name)
  })
  return () => {
    stop()
    return seen
  }
}

/** Nodes that are seen failing, with what their agents say of it. */
function recordFailures(view: FleetView): () => Map<string, string> {
  const seen = new Map<string, string>()
  const stop = view.onChange(() => {
    for (const { name, status } of view.nodes.values()) {
      if (status?.phase === 'RolledBack' || status?.phase === 'Failed') seen.set(name, status.error?.message ?? '')
    }
  })
  return () => {
    stop()
    return seen
  }
}

function applied(node: NodeSight | undefined): boolean {
  return node?.status?.phase === 'Applied'
}

function ready(node: NodeSight): boolean {
  return node.ready
}

function runs(version: string): (node: NodeSight) => boolean {
  return (node) => node.kubeletVersion === version
}

function count(view: FleetView, matches: (node: NodeSight) => boolean): number {
  return [...view.nodes.values()].filter(matches).length
}

function assignments(view: FleetView): string {
  return [...view.nodes.values()].map(({ name, desired }) => `${name} ${desired}`).join('\n')
}

function digests(view: FleetView): string {
  return [...view.nodes.values()].map(({ name, desired = '{}' }) => `${name} ${parseDesiredConfig(desired).DIGEST}`).join('\n')
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`)
}

function short(commit: string): string {
  return commit.slice(0, 7)
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ')
}
