import { isDeepStrictEqual } from 'node:util'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'

interface Unkept {
  /** Of the NodePool. */
  readonly uid: string
  readonly members: Partial<NodePoolStatus>
}

/**
 * The API server drops, without a word, what the definition of the kind does not know. The status is the memory of the rollout: what is lost of
 * it, such as the stable commit, is remembered here until it is kept.
 */
export class UnkeptMembers {
  readonly #byPool = new Map<string, Unkept>()

  /** @throws {Error} naming what was lost: nothing may be done that relies on its being there */
  wrote(meant: NodePoolStatus, { name, uid, status: kept }: NodePoolView): void {
    const members = Object.keys(meant) as (keyof NodePoolStatus)[]
    const lost = members.filter((member) => !isDeepStrictEqual(meant[member], kept[member]))
    this.#byPool.delete(name)
    if (lost.length === 0) return
    this.#byPool.set(name, { uid, members: Object.fromEntries(lost.map((member) => [member, meant[member]])) })
    const what = lost.map((member) => `"${member}"`).join(', ')
    throw new Error(
      `write status of pool "${name}": the cluster does not keep its ${what} as written; the NodePool kind there is another than this controller's: kubectl apply -f deploy/crds/nodepools.yaml`,
    )
  }

  /** The view with what was lost. */
  completed(view: NodePoolView): NodePoolView {
    const unkept = this.#byPool.get(view.name)
    return unkept?.uid === view.uid ? { ...view, status: { ...view.status, ...unkept.members } } : view
  }
}
