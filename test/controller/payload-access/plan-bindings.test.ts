import { expect, test } from 'vitest'
import { nameOf, type StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import { planBindings } from '../../../src/controller/payload-access/plan-bindings.ts'
import { sharedAccessName } from '../../../src/protocol/names.ts'

const READABLE = 'configmaps/workers-kubelet-1' as never
const ROLE = sharedAccessName(nameOf(READABLE))
const payload = { namespace: 'nodewave-system', readable: READABLE, uid: 'u' }
const some = (count: number, prefix = 'n') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const binding = (nodes: readonly string[], more: Partial<StoredAccess> = {}) =>
  ({ name: `${ROLE}-0`, nodes, owner: 'u', isAsMeant: true, ...more }) as StoredAccess

/** `0: a, b` for each RoleBinding that is written; many nodes as their number. */
function planned(
  bindings: readonly StoredAccess[],
  change: { leaving?: readonly string[]; joining?: readonly string[]; taken?: readonly string[] },
) {
  const { leaving = [], joining = [], taken = [] } = change
  const isTaken = (name: string) =>
    [...bindings.map((each) => each.name), ...taken.map((number) => `${ROLE}-${number}`)].includes(name)
  return planBindings(bindings, { payload, leaving: new Set(leaving), joining, isTaken }).map(
    ({ name, nodes }) => `${name.slice(ROLE.length + 1)}: ${nodes.length > 5 ? nodes.length : nodes.join(', ')}`,
  )
}

const second = (nodes: readonly string[]) => binding(nodes, { name: `${ROLE}-1` })

test.each<
  readonly [what: string, bindings: readonly StoredAccess[], change: Parameters<typeof planned>[1], writes: readonly string[]]
>([
  ['nothing when nobody comes or goes', [binding(['a'])], {}, []],
  ['nothing when who comes is there', [binding(['a'])], { joining: ['a'] }, []],
  ['nothing when who goes is not there', [binding(['a'])], { leaving: ['b'] }, []],
  ['the first one', [], { joining: ['a', 'b'] }, ['0: a, b']],
  ['one with who comes', [binding(['a'])], { joining: ['b'] }, ['0: a, b']],
  ['one without who goes', [binding(['a', 'b'])], { leaving: ['a'] }, ['0: b']],
  ['one in which one takes the place of another', [binding(['a'])], { leaving: ['a'], joining: ['b'] }, ['0: b']],
  ['one with who goes and comes', [binding(['a'])], { leaving: ['a'], joining: ['a'] }, ['0: a']],
  ['one that somebody changed', [binding(['a'], { isAsMeant: false })], {}, ['0: a']],
  ['one that belongs to an object that is gone', [binding(['a'], { owner: 'other' })], {}, ['0: a']],
  ['one up to 200', [binding(some(199))], { joining: ['a'] }, ['0: 200']],
  ['another one beyond 200', [binding(some(199))], { joining: ['a', 'b'] }, ['0: 200', '1: b']],
  ['another one beside a full one', [binding(some(200))], { joining: ['a'] }, ['1: a']],
  [
    'one that has more than 200, and takes no other',
    [binding(some(201), { isAsMeant: false })],
    { joining: ['a'] },
    ['0: 201', '1: a'],
  ],
  ['two for 201', [], { joining: some(201) }, ['0: 200', '1: n200']],
  ['the first one with room', [binding(some(200)), second(['a'])], { joining: ['b'] }, ['1: a, b']],
  ['a name that is free', [], { joining: ['a'], taken: ['0', '1'] }, ['2: a']],
])('of the RoleBindings of a payload is written %s', (_, bindings, change, writes) => {
  expect(planned(bindings, change)).toEqual(writes)
})
