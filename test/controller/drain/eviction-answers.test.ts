import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { EvictionAnswers } from '../../../src/controller/drain/eviction-answers.ts'
import { type PodFacts, projectBudget, projectPod } from '../../../src/controller/drain/pod-facts.ts'
import type { KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

const refused = { message: 'cannot evict', until: 60_000 }

function aPod(name: string, app = 'a', namespace = 'shop'): PodFacts {
  return projectPod({ metadata: { name, namespace, uid: name, labels: { app } }, spec: { containers: [] } })
}

function aBudget(name: string, disruptionsAllowed: number, app = 'a', namespace = 'shop'): KubeObject {
  return {
    metadata: { name, namespace, resourceVersion: '1' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, desiredHealthy: 2, currentHealthy: 2 },
  }
}

/** After the API server refused the pod `x`, and its budgets were read. */
async function answersFor(
  budgets: readonly KubeObject[],
  pods: readonly PodFacts[] = [aPod('x')],
  gone: readonly { readonly name: string; readonly namespace: string }[] = [],
) {
  const changed: string[][] = []
  let follows = 0
  const follow = async function* () {
    follows += 1
    yield { type: 'sync', items: budgets.map(projectBudget) }
    for (const each of gone) yield { type: 'delete', ...each }
  } as unknown as KubeApi['follow']
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const state = { pods }
  const answers = new EvictionAnswers({
    kube: Object.assign(new FakeKube(), { follow }),
    ...{ clock: new TestClock(), log: () => undefined, signal: ended.signal },
    pods: () => state.pods,
    changed: (uids) => changed.push([...uids].sort()),
    noted: () => undefined,
  })
  answers.refused('x', refused)
  for (let turns = 0; turns < 3; turns++) await turn()
  const budgetsOf = (pod: PodFacts) => answers.viewOf(pod).refusal?.budgets.map(({ name }) => name)
  return { answers, changed, budgetsOf, follows: () => follows, state }
}

test.each<readonly [what: string, budgets: readonly KubeObject[], named: readonly string[] | undefined]>([
  ['no budget covers it', [], []],
  ['one budget that allows nothing covers it', [aBudget('one', 0)], ['one']],
  ['a budget of other pods allows nothing', [aBudget('one', 0, 'b')], []],
  ['a budget of another namespace allows nothing', [aBudget('one', 0, 'a', 'other')], []],
  ['two budgets cover it', [aBudget('one', 0), aBudget('two', 0)], ['one', 'two']],
  ['two budgets that allow something cover it', [aBudget('one', 1), aBudget('two', 1)], ['one', 'two']],
  ['one budget that allows something covers it: the eviction is tried again at once', [aBudget('one', 1)], undefined],
])('a refused pod names its budgets when %s', async (_, budgets, named) => {
  const { budgetsOf } = await answersFor(budgets)

  expect(budgetsOf(aPod('x'))).toEqual(named)
})

test('a budget that changes concerns the refused pods of its namespace, and no others', async () => {
  const { changed } = await answersFor([aBudget('one', 0)], [aPod('x'), aPod('y')])

  expect(changed).toEqual([['x'], ['x']])
})

test('a budget of a namespace in which no pod is refused concerns nobody', async () => {
  const { changed } = await answersFor([aBudget('one', 0, 'a', 'other')])

  expect(changed).toEqual([['x']])
})

test('a budget that was deleted keeps no pod, and one of its name in another namespace does', async () => {
  const budgets = [aBudget('one', 0), aBudget('two', 0)]
  expect((await answersFor(budgets, undefined, [{ name: 'one', namespace: 'shop' }])).budgetsOf(aPod('x'))).toEqual(['two'])
  expect((await answersFor(budgets, undefined, [{ name: 'one', namespace: 'other' }])).budgetsOf(aPod('x'))).toEqual([
    'one',
    'two',
  ])
})

test('a pod that the server refused for another reason, though its only budget allows one, names no budget', async () => {
  const { answers, budgetsOf } = await answersFor([aBudget('one', 1)])
  answers.refused('x', refused)

  expect(budgetsOf(aPod('x'))).toEqual([])
})

test('a pod whose eviction was taken is terminating, and one that is asked says so until there is an answer', async () => {
  const { answers } = await answersFor([])
  answers.asked('y')
  expect(answers.viewOf(aPod('y')).asked).toBe(true)
  answers.unanswered('y')
  expect(answers.viewOf(aPod('y')).asked).toBeUndefined()
  answers.taken('y')
  expect(answers.viewOf(aPod('y')).terminating).toBe(true)
  expect(answers.viewOf(aPod('z')).terminating).toBe(false)
})

test('budgets are read once while pods are refused, and again after none was', async () => {
  const { answers, follows, state } = await answersFor([aBudget('one', 0)], [aPod('x'), aPod('y')])
  answers.refused('y', refused)
  expect(follows()).toBe(1)
  answers.taken('z')
  answers.asked('z')
  state.pods = [aPod('y')]
  answers.forgetGone()
  answers.refused('y', refused)
  expect(follows()).toBe(1)
  expect(answers.viewOf(aPod('x')).refusal).toBeUndefined()
  expect(answers.viewOf(aPod('z'))).toMatchObject({ terminating: false })
  expect(answers.viewOf(aPod('z')).asked).toBeUndefined()
  state.pods = []
  answers.forgetGone()
  answers.refused('y', refused)
  await turn()
  expect(follows()).toBe(2)
})
