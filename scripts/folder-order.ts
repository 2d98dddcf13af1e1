import type { ImportGraph } from './import-circles.ts'

/** The folders of src/rollout, one for each step of a decision: each may import those before it. docs/architecture.md says what they decide. */
export const ROLLOUT_STEPS = [
  'model',
  'controls',
  'control-plane',
  'target',
  'exposure',
  'gates',
  'drain',
  'proof',
  'ceilings',
  'blockers',
  'selection',
  'fleet',
  'progress',
  'status',
] as const

/** The folders of src/controller: each may import those before it. docs/architecture.md says what they are for. */
export const CONTROLLER_STEPS = [
  'log',
  'clock',
  'leadership',
  'controls',
  'cache',
  'crds',
  'writes',
  'remote-rounds',
  'webhook',
  'fleet',
  'ceilings',
  'config-maps',
  'secrets',
  'node-pools',
  'gates',
  'revisions',
  'payload-access',
  'signing',
  'node-settings',
  'drain',
  'proof',
  'other-clusters',
  'events',
  'execution',
  'status',
  'snapshot',
  'garbage',
  'plans',
  'traces',
  'metrics',
  'commit-status',
  'notifications',
  'revert',
] as const

/** The imports below `root` that lead to a later folder of `order`, types too. The files of `root` itself come after all folders. */
export function importsAgainst(
  order: readonly string[],
  { root, graph }: { readonly root: string; readonly graph: ImportGraph },
): readonly string[] {
  const placeOf = (file: string): number => {
    const [folder = '', ...rest] = file.slice(root.length + 1).split('/')
    return rest.length === 0 ? order.length : order.indexOf(folder)
  }
  const isInside = (file: string): boolean => file.startsWith(`${root}/`)
  return [...graph].flatMap(([file, targets]) => {
    if (!isInside(file)) return []
    if (placeOf(file) < 0) return [`${file}: its folder is not in the order of ${root}`]
    const later = targets.filter((target) => isInside(target) && placeOf(target) > placeOf(file))
    return later.map((target) => `${file}: ${target} is of a later step`)
  })
}
