import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Kind } from '../kinds.ts'
import type { Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'
import { didYouMean } from '../suggest.ts'

/** Every name that a pool gives must be that of a document. */
export function checkReferences({ documents, declared }: Draft): Problem[] {
  return [...documents.NodePool.values()].flatMap((pool) =>
    referencesOf(pool.spec).flatMap((reference) =>
      declared[reference.kind].has(reference.name) ? [] : [missing(pool, reference, declared[reference.kind])],
    ),
  )
}

interface Reference {
  readonly kind: Kind
  readonly name: string
  readonly path: Path
}

function referencesOf({ kubelet, hostProfiles, dependsOn }: NodePoolSpec): Reference[] {
  return [
    ...list('FlagSet', ['kubelet', 'flagSets'], kubelet?.flagSets),
    ...list('KubeletConfig', ['kubelet', 'config'], kubelet?.config),
    ...(kubelet?.release === undefined
      ? []
      : [{ kind: 'KubeletRelease', name: kubelet.release, path: ['kubelet', 'release'] } as const]),
    ...list('HostProfile', ['hostProfiles'], hostProfiles),
    ...(dependsOn ?? []).flatMap((each, index): Reference[] =>
      typeof each === 'string' ? [{ kind: 'NodePool', name: each, path: ['dependsOn', index] }] : [],
    ),
  ]
}

function list(kind: Kind, path: Path, names: readonly string[] = []): Reference[] {
  return names.map((name, index) => ({ kind, name, path: [...path, index] }))
}

function missing(pool: Loaded<NodePoolSpec>, { kind, name, path }: Reference, names: ReadonlySet<string>): Problem {
  const known = names.size > 0 ? `known: ${[...names].sort().slice(0, 10).join(', ')}` : `the repository has no ${kind} yet`
  return errorAt(pool, path, {
    reason: 'MissingReference',
    message: `no ${kind} is named "${name}"`,
    remedy: didYouMean(name, names) ?? known,
  })
}
