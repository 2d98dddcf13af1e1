import { sharedAccessName } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { nameOf, type Readable } from '../cache/access-objects.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'
import type { SharedAccess, SharedAccessOptions } from './shared-access.ts'
import { GRACE } from './unseen-bindings.ts'

const IN_FLIGHT = 8

/** Whether the node has to be able to read it. */
export type Needs = (node: string, readable: Readable) => boolean

/** Takes nodes out of shared Roles: those that were deleted, and those that have other content by now. */
export class UnneededAccess {
  readonly #shared: SharedAccess
  readonly #roles: SharedAccessOptions['roles']
  /** Since when, by payload and node. A new controller begins to count. */
  readonly #since = new Map<Readable, Map<string, Instant>>()

  constructor(shared: SharedAccess, { roles }: Pick<SharedAccessOptions, 'roles'>) {
    this.#shared = shared
    this.#roles = roles
  }

  needs(node: string, readable: Readable): void {
    this.#since.get(readable)?.delete(node)
  }

  /** @throws {KubeError} */
  async revoke(needs: Needs, now: Instant): Promise<void> {
    const payloads = this.#payloads()
    for (const readable of this.#since.keys()) if (!payloads.includes(readable)) this.#since.delete(readable)
    const due = payloads.filter((readable) => {
      this.#look(readable, needs, now)
      return this.#due(readable, now).size > 0 || this.#shared.bindingsOf(readable).some(({ isAsMeant }) => !isAsMeant)
    })
    const failed = await forEach(due, { atOnce: IN_FLIGHT }, (readable) =>
      this.#shared.revoke(readable, this.#due(readable, now)),
    )
    throwFirst([...failed.values()])
  }

  #look(readable: Readable, needs: Needs, now: Instant): void {
    const before = this.#since.get(readable)
    const unneeded = this.#shared.bindingsOf(readable).flatMap(({ nodes }) => nodes.filter((node) => !needs(node, readable)))
    this.#since.set(readable, new Map(unneeded.map((node) => [node, before?.get(node) ?? now])))
  }

  #due(readable: Readable, now: Instant): ReadonlySet<string> {
    const since = this.#since.get(readable) ?? new Map<string, Instant>()
    return new Set([...since].filter(([, at]) => now - at >= GRACE).map(([node]) => node))
  }

  /** Those with a Role of their own. */
  #payloads(): Readable[] {
    return [...this.#roles.items.values()].flatMap(({ name, readable: [first] }) =>
      first !== undefined && name === sharedAccessName(nameOf(first)) ? [first] : [],
    )
  }
}
