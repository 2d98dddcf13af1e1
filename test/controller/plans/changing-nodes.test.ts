import { expect, test } from 'vitest'
import { type ChangeSources, changingNodes } from '../../../src/controller/plans/changing-nodes.ts'

/** A node that runs another content than the pool renders. */
function aNode(name: string): object {
  return { name, facts: {}, view: { assigned: { digest: 'former' }, assignedByHand: false, leaving: false } }
}

test('rendering gives way to other work between nodes that take long', async () => {
  let [now, course] = [0, '']
  const turns = {
    elapsed: () => now,
    giveWay: async () => {
      course += '|'
    },
  }
  const render = () => {
    now += 20
    course += '.'
    return { kind: 'config', digest: 'new', content: {} }
  }
  const sources = { pool: { name: 'workers', render }, nodes: ['a', 'b', 'c'].map(aNode), revisions: new Map() }
  const { changing } = await changingNodes(sources as unknown as ChangeSources, turns)

  expect(changing.map(({ node }) => node.name)).toEqual(['a', 'b', 'c'])
  expect(course).toBe('.|.|.')
})

const VIEW = { assigned: { digest: 'former' }, assignedByHand: false, leaving: false }

test.each([
  ['runs other content', VIEW, 'changes'],
  ['was assigned nothing', { ...VIEW, assigned: undefined }, 'changes'],
  ['has the content', { ...VIEW, assigned: { digest: 'new' } }, 'stays'],
  ['is held', { ...VIEW, hold: 'broken' }, 'is left'],
  ['is assigned by hand', { ...VIEW, assignedByHand: true }, 'is left'],
  ['is being deleted', { ...VIEW, leaving: true }, 'is left'],
])('a node that %s counts in a plan', async (_, view, expected) => {
  const render = () => ({ kind: 'config', digest: 'new', content: {} })
  const sources = { pool: { name: 'workers', render }, nodes: [{ name: 'a', facts: {}, view }], revisions: new Map() }
  const turns = { elapsed: () => 0, giveWay: async () => undefined }
  const { changing, left } = await changingNodes(sources as unknown as ChangeSources, turns)

  expect({ changing: changing.length, left }).toEqual({
    changing: expected === 'changes' ? 1 : 0,
    left: expected === 'is left' ? 1 : 0,
  })
})

test.each([
  ['in use is rendered with the memory of the passes', true],
  ['not in use is rendered without it', false],
])('a commit that is %s', async (_, isInUse) => {
  const course: string[] = []
  const rendering = (how: string) => () => {
    course.push(how)
    return { kind: 'config', digest: 'new', content: {} }
  }
  const pool = { name: 'workers', render: rendering('anew') }
  const revisions = new Map([['abc', { pools: new Map([['workers', isInUse ? pool : { ...pool }]]) }]])
  const renderer = { renderOf: () => rendering('remembered') }
  const sources = { pool, nodes: [{ name: 'a', facts: {}, view: VIEW }], revisions, renderer }
  const turns = { elapsed: () => 0, giveWay: async () => undefined }
  await changingNodes(sources as unknown as ChangeSources, turns)

  expect(course).toEqual([isInUse ? 'remembered' : 'anew'])
})

test('the contents of a node are what it runs and what it would have, and none where that cannot be rendered', async () => {
  const rendered = (name: string) =>
    name === 'bad' ? { kind: 'problem', message: 'no' } : { kind: 'config', digest: 'new', content: { flags: '--v=2' } }
  const pool = { name: 'workers', render: ({ name }: { name: string }) => rendered(name) }
  const nodes = ['good', 'bad'].map((name) => ({ name, facts: { name }, view: VIEW }))
  const turns = { elapsed: () => 0, giveWay: async () => undefined }
  const { contentsOf, problems } = await changingNodes({ pool, nodes, revisions: new Map() } as unknown as ChangeSources, turns)

  expect(nodes.map((node) => contentsOf(node as never).after)).toEqual([{ flags: '--v=2' }, {}])
  expect(problems).toEqual([{ node: 'bad', message: 'no' }])
})
