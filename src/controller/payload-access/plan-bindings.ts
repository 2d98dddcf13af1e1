import { sharedAccessName } from '../../protocol/names.ts'
import { type NodesOfBinding, nameOf, type SharedPayload, type StoredAccess } from '../cache/access-objects.ts'

/** More make each write larger; fewer make more objects. */
const NODES_A_BINDING = 200

interface Change {
  readonly payload: SharedPayload
  readonly leaving: ReadonlySet<string>
  readonly joining: readonly string[]
  /** There is a RoleBinding of this name, be it of the payload or not. */
  readonly isTaken: (name: string) => boolean
}

/** Pure: which RoleBindings of a payload to write, so that nodes leave and join. The first ones with room are filled. */
export function planBindings(bindings: readonly StoredAccess[], change: Change): NodesOfBinding[] {
  const { payload, leaving, joining, isTaken } = change
  const staying = (binding: StoredAccess) => binding.nodes.filter((node) => !leaving.has(node))
  const present = new Set(bindings.flatMap(staying))
  const waiting = joining.filter((node) => !present.has(node))
  const writes = bindings.flatMap((binding): NodesOfBinding[] => {
    const kept = staying(binding)
    const nodes = [...kept, ...waiting.splice(0, Math.max(0, NODES_A_BINDING - kept.length))]
    const isSame = nodes.length === kept.length && kept.length === binding.nodes.length
    return isSame && binding.isAsMeant && binding.owner === payload.uid ? [] : [{ name: binding.name, nodes }]
  })
  const role = sharedAccessName(nameOf(payload.readable))
  for (let index = 0; waiting.length > 0; index += 1) {
    const name = `${role}-${index}`
    if (!isTaken(name)) writes.push({ name, nodes: waiting.splice(0, NODES_A_BINDING) })
  }
  return writes
}
