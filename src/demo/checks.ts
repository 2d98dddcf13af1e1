import { parseDesiredConfig } from '../protocol/desired-config.ts'
import type { DemoNode, FleetView } from './fleet-view.ts'

/** Milliseconds after which a scene has failed. */
export const PATIENCE = 40_000
export const POOLS = ['control-plane', 'gpu', 'workers']

/** Every pool completed the commit and is Ready at it. */
export function completed(commit: string): (view: FleetView) => boolean {
  return (view) =>
    view.pools.size === POOLS.length &&
    [...view.pools.values()].every(({ status }) => status?.stable?.revision === commit && status.conditions.some(isReady))
}

function isReady({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === 'Ready' && status === 'True'
}

export function everyPool(reason: string): (view: FleetView) => boolean {
  return (view) =>
    [...view.pools.values()].every(({ status }) => status?.conditions.some((condition) => condition.reason === reason))
}

export function rolledBack(pool: string, bad: string): (view: FleetView) => boolean {
  return (view) => {
    const { status } = view.pools.get(pool) ?? {}
    const isRejected = status?.rejected.some(({ revision }) => revision === bad) ?? false
    return (
      isRejected && status !== undefined && status.nodes.current === status.nodes.total && count(view, ready) === view.nodes.size
    )
  }
}

/** Names of the waves that a pool is seen in, in order, until asked. */
export function recordWaves(view: FleetView, pool: string): () => string[] {
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
export function recordFailures(view: FleetView): () => Map<string, string> {
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

export function applied(node: DemoNode | undefined): boolean {
  return node?.status?.phase === 'Applied'
}

export function ready(node: DemoNode): boolean {
  return node.ready
}

export function runs(version: string): (node: DemoNode) => boolean {
  return (node) => node.kubeletVersion === version
}

export function count(view: FleetView, matches: (node: DemoNode) => boolean): number {
  return [...view.nodes.values()].filter(matches).length
}

export function assignments(view: FleetView): string {
  return [...view.nodes.values()].map(({ name, desired }) => `${name} ${desired}`).join('\n')
}

export function digests(view: FleetView): string {
  return [...view.nodes.values()].map(({ name, desired = '{}' }) => `${name} ${parseDesiredConfig(desired).DIGEST}`).join('\n')
}

export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`check failed: ${what}`)
}

export function short(commit: string): string {
  return commit.slice(0, 7)
}

export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ')
}
