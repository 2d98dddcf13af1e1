import { formatDesiredConfig } from '../protocol/desired-config.ts'
import type { Names } from '../protocol/names.ts'
import type { Action } from '../rollout/decision.ts'
import type { RenderedConfig } from './ports.ts'

export type Assign = Extract<Action, { kind: 'assign' }>
export type NodeAction = Extract<Action, { node: string }>

/** One JSON merge patch of a Node. With the resourceVersion that the decision was based on, a late one is refused instead of doing harm. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion: string
    readonly annotations: Readonly<Record<string, string | null>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly unschedulable: null }
}

/** Annotation and label in one request. */
export function assignPatch(
  assign: Assign,
  {
    names,
    rendered,
    resourceVersion,
  }: { readonly names: Names; readonly rendered: RenderedConfig; readonly resourceVersion: string },
): NodePatch {
  const { POOL } = rendered.desired
  const desired = {
    ...rendered.desired,
    REVISION: assign.revision,
    GRANT: assign.grant,
    ASSIGNED: new Date(assign.at).toISOString(),
  }
  return {
    metadata: {
      resourceVersion,
      annotations: { [names.desiredConfig]: formatDesiredConfig(desired) },
      ...(POOL !== undefined && { labels: { [names.pool]: POOL } }),
    },
  }
}

export function uncordonPatch(names: Names, resourceVersion: string): NodePatch {
  return { metadata: { resourceVersion, annotations: { [names.cordonedFor]: null } }, spec: { unschedulable: null } }
}
