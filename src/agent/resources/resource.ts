import type { Disruption } from '../../protocol/desired-config.ts'
import type { Change, HostHands } from '../transaction/change.ts'

/**
 * A kind of thing on the host. All kinds have this shape: `observe` reads and changes nothing; `difference` is pure and says what
 * would make the thing as specified. Doing a change, and undoing it, is the same for every kind: see `change.ts`.
 */
export interface ResourceKind<Spec, Actual> {
  readonly name: string
  observe(host: HostHands, spec: Spec): Promise<Actual>
  /** @returns undefined when the host is as specified. */
  difference(spec: Spec, actual: Actual): Change | undefined
  /** How much the change disturbs by itself; restarts that follow from it are added by the plan. */
  disruption?(spec: Spec, actual: Actual): Disruption
}

/** A kind bound to what it should be. */
export interface Resource {
  readonly kind: string
  /** The path or unit it is about: no two resources of one target share it. */
  readonly subject: string
  /** Paths whose change restarts this unit. */
  readonly restartOn?: readonly string[]
  observe(host: HostHands): Promise<Finding>
}

/** What observing one resource gave. */
export interface Finding {
  readonly subject: string
  readonly change: Change | undefined
  readonly disruption: Disruption
}

export function resource<Spec, Actual>(
  kind: ResourceKind<Spec, Actual>,
  spec: Spec,
  about: { readonly subject: string; readonly restartOn?: readonly string[] },
): Resource {
  return {
    kind: kind.name,
    ...about,
    observe: async (host) => {
      const actual = await kind.observe(host, spec)
      const change = kind.difference(spec, actual)
      const disruption = change === undefined ? 'none' : (kind.disruption?.(spec, actual) ?? 'none')
      return { subject: about.subject, change, disruption }
    },
  }
}
