import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { BudgetIndex } from '../../../src/controller/drain/budget-index.ts'
import { type BudgetFacts, projectBudget, projectPod } from '../../../src/controller/drain/pod-facts.ts'

function aBudget(name: string, namespace: string, app: string): BudgetFacts {
  const metadata = { name, namespace, resourceVersion: '1' }
  return projectBudget({ metadata, spec: { selector: { matchLabels: { app } } } })
}

test('a pod is compared with the budgets of its namespace as they are now', () => {
  const index = new BudgetIndex()
  const concerned: string[][] = []
  const cache = new ObjectCache<BudgetFacts>((budget) => concerned.push([...index.update(cache, budget)]))
  const pod = projectPod({ metadata: { name: 'p', namespace: 'shop', labels: { app: 'a' } } })
  cache.observe({ type: 'sync', items: [aBudget('x', 'shop', 'a'), aBudget('y', 'shop', 'b'), aBudget('z', 'other', 'a')] })
  expect(index.coverOf(pod).map(({ name }) => name)).toEqual(['shop/x'])
  cache.observe({ type: 'delete', name: 'shop/x', namespace: 'shop' })
  cache.observe({ type: 'upsert', item: { ...aBudget('y', 'shop', 'a'), resourceVersion: '2' } })
  expect(index.coverOf(pod).map(({ name }) => name)).toEqual(['shop/y'])
  expect(concerned).toEqual([['shop', 'other'], ['shop'], ['shop']])
})
