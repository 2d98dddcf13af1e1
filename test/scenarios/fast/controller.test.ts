import { expect, test } from 'vitest'
import { Random } from '../random.ts'
import { drawRules } from './rules.ts'
import { START, World } from './world.ts'

test('a controller knows nothing of the pods of a node that is drained again, until it has read them again', () => {
  const world = new World(drawRules(new Random(1)))
  const [pool = ''] = world.pools.keys()
  world.push(Object.fromEntries([...world.pools.keys()].map((name) => [name, 'first'])))
  world.join('a', { pool, zone: 'zone-0' })
  const node = world.nodes.get('a')
  const mark = { digest: 'first', at: START, state: 'Ours' } as const
  const podsAsKnown = (): unknown =>
    world.controller
      .pass()
      .fleet.pools.find(({ name }) => name === pool)
      ?.pods?.get('a')

  node?.showCordon({ mark, unschedulable: true })
  world.controller.hear()
  expect(podsAsKnown()).toEqual({ kind: 'known', pods: [] })
  node?.showCordon({ mark: undefined, unschedulable: false })
  world.controller.hear(9)
  expect(podsAsKnown()).toBeUndefined()
  node?.showCordon({ mark, unschedulable: true })
  world.controller.hear(9)
  expect(podsAsKnown()).toBeUndefined()
})
