import { leavesOf } from '../protocol/merge-patch.ts'
import { type MapFlags, statedFlags } from '../repo/flag-maps.ts'
import { findConflicts } from './find-conflicts.ts'
import type { LayerSubject } from './layers.ts'
import type { RenderProblem } from './render-problem.ts'

/** Overrides are one level: two that meet on a node may not say different things about a flag, a field or a file. */
export function overrideConflicts({ overrides }: LayerSubject, maps?: MapFlags): RenderProblem[] {
  return findConflicts([
    ...overrides.flatMap((doc) =>
      statedFlags(doc.spec.flags, maps).map(({ path: [name = '', ...key], value }) => ({
        doc,
        path: ['flags', name, ...key],
        what: [`flag --${name}`, ...key].join(' key '),
        value,
      })),
    ),
    ...overrides.flatMap((doc) =>
      leavesOf(doc.spec.config ?? {}).map(({ path, value }) => ({
        doc,
        path: ['config', ...path],
        what: `field ${path.join('.')}`,
        value,
      })),
    ),
    ...overrides.flatMap((doc) =>
      (doc.spec.files ?? []).map((value, index) => ({ doc, path: ['files', index], what: `file ${value.path}`, value })),
    ),
  ])
}
