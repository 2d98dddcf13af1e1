import type { ControlPlaneView } from '../../rollout/control-plane/control-plane-view.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { ControlPlanePod } from './control-plane-pods.ts'
import { ObjectCache } from './object-cache.ts'
import type { ServerVersions } from './server-versions.ts'

/** The control plane as last seen, and whether that still holds. */
export class ControlPlaneCache {
  readonly pods: ObjectCache<ControlPlanePod>
  readonly #versions: ServerVersions
  readonly #changed: () => void
  #trouble: string | undefined
  /** The watch that stands. */
  #watch: symbol | undefined

  constructor(versions: ServerVersions, changed: () => void) {
    this.pods = new ObjectCache(changed)
    this.#versions = versions
    this.#changed = changed
  }

  /** The watch of its pods broke off: what is known of them is the past. */
  lost(trouble: string): void {
    this.#watch = undefined
    this.#tell(trouble)
  }

  /** A watch stands again. What is known holds once the server has reported its version too, if the watch has not broken off by then. */
  async opened(synced: Promise<void>): Promise<void> {
    const watch = Symbol('watch')
    this.#watch = watch
    await synced
    if (this.#watch === watch) this.#tell(undefined)
  }

  /** @param byRole nodes that carry the role. @param nodeAt finds those that only a part of it runs on */
  view(byRole: readonly ClusterNode[], nodeAt: (name: string) => ClusterNode | undefined): ControlPlaneView {
    const instances = [...this.pods.items.values()].map(({ instance }) => instance)
    const hosts = instances.flatMap(({ node }) => nodeAt(node) ?? [])
    const ofControlPlane = [...new Set([...byRole, ...hosts])].map(({ view }) => view)
    return {
      nodes: ofControlPlane,
      instances,
      answers: this.#versions.answers,
      ...(this.#trouble !== undefined && { outdated: this.#trouble }),
    }
  }

  #tell(trouble: string | undefined): void {
    const isNews = trouble !== this.#trouble
    this.#trouble = trouble
    if (isNews) this.#changed()
  }
}
