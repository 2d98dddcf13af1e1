import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'

interface Thing {
  readonly name: string
  readonly namespace: ''
  readonly resourceVersion: string
  readonly color: { readonly name: string }
}

function thing(name: string, resourceVersion: string, color: string): Thing {
  return { name, namespace: '', resourceVersion, color: { name: color } }
}

function aCache(...items: Thing[]) {
  const told = { times: 0 }
  const cache = new ObjectCache<Thing>(() => {
    told.times += 1
  })
  cache.observe({ type: 'sync', items })
  told.times = 0
  return { cache, told }
}

test('a heartbeat moves the version and tells nobody', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  const before = cache.get('a')?.color
  cache.observe({ type: 'upsert', item: thing('a', '2', 'red') })
  expect(told.times).toBe(0)
  expect(cache.get('a')?.resourceVersion).toBe('2')
  expect(cache.get('a')?.color).toBe(before)
})

test('a visible change is told', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  cache.observe({ type: 'upsert', item: thing('a', '2', 'blue') })
  cache.observe({ type: 'upsert', item: thing('b', '3', 'blue') })
  cache.observe({ type: 'delete', name: 'a', namespace: '' })
  expect(told.times).toBe(3)
  expect([...cache.items.keys()]).toEqual(['b'])
})

test('all items are the same array until one is put in, replaced or removed', () => {
  const { cache } = aCache(thing('a', '1', 'red'))
  const all = [cache.all, cache.all]
  cache.observe({ type: 'upsert', item: thing('b', '2', 'red') })
  all.push(cache.all)
  cache.wrote(thing('a', '3', 'blue'))
  all.push(cache.all)
  cache.observe({ type: 'delete', name: 'a', namespace: '' })
  all.push(cache.all)
  cache.observe({ type: 'sync', items: [] })
  expect(all[1]).toBe(all[0])
  expect([...all, cache.all].map((items) => items.map(({ name, color }) => `${name} ${color.name}`))).toEqual([
    ['a red'],
    ['a red'],
    ['a red', 'b red'],
    ['a blue', 'b red'],
    ['b red'],
    [],
  ])
})

test('a list that is caught up with brings what is newer than all that the watch told', async () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  cache.observe({ type: 'sync', items: [thing('a', '1', 'red'), thing('c', '3', 'red')], resourceVersion: '4' })
  told.times = 0
  await cache.catchUp(async () => [thing('a', '1', 'red'), thing('c', '6', 'green'), thing('e', '7', 'red')])
  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(['a red', 'c green', 'e red'])
  expect(told.times).toBe(2)
})

test('a list that is caught up with neither undoes nor brings back what the watch told meanwhile', async () => {
  const { cache, told } = aCache()
  cache.observe({ type: 'sync', items: [thing('a', '1', 'red'), thing('b', '2', 'red')], resourceVersion: '4' })
  await cache.catchUp(async () => {
    cache.observe({ type: 'upsert', item: thing('a', '9', 'blue') })
    cache.observe({ type: 'delete', name: 'b', namespace: '', resourceVersion: '10' })
    told.times = 0
    return [thing('a', '5', 'red'), thing('b', '2', 'red')]
  })
  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(['a blue'])
  expect(told.times).toBe(0)
  cache.observe({ type: 'upsert', item: thing('b', '12', 'red') })
  expect(cache.get('b')?.resourceVersion).toBe('12')
})

test('an answer to our own write is not undone by an older event that comes after it', () => {
  const { cache, told } = aCache(thing('a', '9', 'red'))
  cache.wrote(thing('a', '11', 'green'))
  cache.observe({ type: 'upsert', item: thing('a', '10', 'blue') })
  expect(cache.get('a')?.color.name).toBe('green')
  cache.observe({ type: 'upsert', item: thing('a', '11', 'green') })
  expect(told.times).toBe(0)
})

test('an answer to our own write that comes after a newer event is dropped', () => {
  const { cache } = aCache(thing('a', '9', 'red'))
  cache.observe({ type: 'upsert', item: thing('a', '12', 'blue') })
  cache.wrote(thing('a', '11', 'green'))
  expect(cache.get('a')?.color.name).toBe('blue')
})

test('a refused write is told of at the next version, though nothing visible changed', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  cache.refused('a', '1')
  expect(told.times).toBe(0)
  cache.observe({ type: 'upsert', item: thing('a', '2', 'red') })
  expect(told.times).toBe(1)
  cache.observe({ type: 'upsert', item: thing('a', '3', 'red') })
  expect(told.times).toBe(1)
})

test('the item of a version is known by its name and that version alone', () => {
  const { cache } = aCache(thing('a', '7', 'red'))
  expect(cache.known({ name: 'a', resourceVersion: '7' })).toBe(cache.get('a'))
  expect(cache.known({ name: 'a', resourceVersion: '8' })).toBeUndefined()
  expect(cache.known({ name: 'b', resourceVersion: '7' })).toBeUndefined()
})

test('a refused write is not told of with a late event of the version that it was based on', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  cache.refused('a', '1')
  cache.observe({ type: 'upsert', item: cache.get('a') ?? thing('a', '1', 'red') })
  expect(told.times).toBe(0)
  cache.observe({ type: 'upsert', item: thing('a', '2', 'red') })
  expect(told.times).toBe(1)
})

test('a refused write is told of at once when the newer version has come already', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'))
  cache.observe({ type: 'upsert', item: thing('a', '2', 'red') })
  cache.refused('a', '1')
  expect(told.times).toBe(1)
})

test('a full list replaces all that was known', () => {
  const { cache, told } = aCache(thing('a', '1', 'red'), thing('b', '1', 'red'))
  cache.wrote(thing('c', '5', 'green'))
  cache.observe({ type: 'sync', items: [thing('b', '4', 'red')] })
  expect([...cache.items.keys()]).toEqual(['b'])
  expect(told.times).toBe(1)
})

test('items with one key are found together, through every way in which they come, change it, and go', () => {
  const cache = new ObjectCache<Thing>(
    () => {},
    ({ color }) => (color.name === 'none' ? undefined : color.name),
  )
  const found = (key: string) => [...cache.group(key)].map(({ name, resourceVersion }) => name + resourceVersion)
  cache.observe({ type: 'sync', items: [thing('a', '1', 'red'), thing('b', '2', 'red'), thing('c', '3', 'none')] })
  cache.observe({ type: 'upsert', item: thing('a', '4', 'red') })
  cache.wrote(thing('d', '5', 'red'))
  expect([found('red'), found('none'), found('blue')]).toEqual([['a4', 'b2', 'd5'], [], []])

  cache.observe({ type: 'upsert', item: thing('b', '6', 'blue') })
  cache.observe({ type: 'delete', name: 'a', namespace: '' })
  expect([found('red'), found('blue')]).toEqual([['d5'], ['b6']])

  cache.deleted({ name: 'd', resourceVersion: '5' })
  cache.observe({ type: 'upsert', item: thing('b', '7', 'none') })
  expect([found('red'), found('blue'), cache.get('b')?.resourceVersion]).toEqual([[], [], '7'])

  cache.observe({ type: 'sync', items: [thing('e', '8', 'blue')] })
  expect([found('blue'), [...cache.items.keys()]]).toEqual([['e8'], ['e']])
})

test.each([
  ['an older version', '9', 'red'],
  ['the same version', '10', 'blue'],
  ['a newer version', '11', 'blue'],
  ['a newer version with more digits', '100', 'blue'],
  ['an older version with fewer digits', '5', 'red'],
])('an item of %s than the known one is taken or not', (_, version, color) => {
  const { cache } = aCache(thing('a', '10', 'red'))
  cache.observe({ type: 'upsert', item: thing('a', version, 'blue') })
  expect(cache.get('a')?.color.name).toBe(color)
})

test.each<readonly [what: string, isNews: boolean, listed: readonly Thing[]]>([
  ['nothing', false, []],
  ['what is known', false, [thing('a', '10', 'red')]],
  ['a newer version without a visible change', false, [thing('a', '11', 'red')]],
  ['a visible change', true, [thing('a', '11', 'blue')]],
  ['an older version that looks different', false, [thing('a', '9', 'blue')]],
  ['another one', true, [thing('b', '11', 'blue')]],
  ['a visible change and what is known', true, [thing('a', '11', 'blue'), thing('a', '11', 'blue')]],
])('a list that is caught up with says whether it brought news: %s', async (_, isNews, listed) => {
  const { cache } = aCache(thing('a', '10', 'red'))
  expect(await cache.catchUp(async () => listed)).toBe(isNews)
})

test('the same object once more is no news, and of another object with the same version the later one counts', async () => {
  const known = thing('a', '10', 'red')
  const { cache, told } = aCache(known)
  expect(await cache.catchUp(async () => [known])).toBe(false)
  expect(told.times).toBe(0)
  cache.observe({ type: 'upsert', item: thing('a', '10', 'blue') })
  expect([cache.get('a')?.color.name, told.times]).toEqual(['blue', 1])
})

test('what was written while a full list was on its way stays when the list is older', () => {
  const { cache } = aCache(thing('a', '3', 'red'), thing('b', '4', 'red'))
  cache.listing()
  cache.wrote(thing('a', '7', 'blue'))
  cache.wrote(thing('c', '8', 'blue'))
  cache.observe({ type: 'sync', items: [thing('a', '3', 'red'), thing('b', '4', 'red')], resourceVersion: '6' })

  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(['a blue', 'b red', 'c blue'])
})

test.each([
  ['was deleted again before the list was made', '8', []],
  ['is newer only than a restored server counts: it was written before the list was asked for', '2', ['b red']],
])('a full list takes away what %s', (_, version, left) => {
  const { cache } = aCache()
  if (version === '8') cache.listing()
  cache.wrote(thing('a', '7', 'blue'))
  if (version === '2') cache.listing()
  cache.observe({ type: 'sync', items: version === '2' ? [thing('b', '2', 'red')] : [], resourceVersion: version })

  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(left)
})

test('what was written while an earlier list was on its way does not outlast the next one', () => {
  const { cache } = aCache()
  cache.listing()
  cache.wrote(thing('a', '7', 'blue'))
  cache.observe({ type: 'sync', items: [], resourceVersion: '6' })
  cache.listing()
  cache.observe({ type: 'sync', items: [], resourceVersion: '5' })

  expect([...cache.items.keys()]).toEqual([])
})

test('an answer to our own write that comes after the watch told of its deletion does not bring the object back', () => {
  const { cache } = aCache()
  cache.observe({ type: 'sync', items: [thing('a', '3', 'red')], resourceVersion: '5' })
  cache.observe({ type: 'upsert', item: thing('a', '7', 'blue') })
  cache.observe({ type: 'delete', name: 'a', namespace: '', resourceVersion: '8' })
  cache.wrote(thing('a', '7', 'blue'))

  expect([...cache.items.keys()]).toEqual([])
})

test('a list that is caught up with does not bring back what only a newer full list could show to be gone', async () => {
  const { cache } = aCache()
  await cache.catchUp(async () => {
    cache.observe({ type: 'sync', items: [], resourceVersion: '10' })
    return [thing('a', '4', 'red'), thing('b', '11', 'red')]
  })

  expect([...cache.items.keys()]).toEqual(['b'])
})

test('a deletion that the watch tells of late does not take away what was created again since', () => {
  const { cache } = aCache()
  cache.observe({ type: 'sync', items: [thing('a', '3', 'red')], resourceVersion: '5' })
  cache.deleted({ name: 'a', resourceVersion: '3' })
  cache.wrote(thing('a', '9', 'blue'))
  cache.observe({ type: 'delete', name: 'a', namespace: '', resourceVersion: '8' })

  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(['a blue'])
})

test('what was created again since it was deleted stays when the answer to the deletion comes late', () => {
  const { cache } = aCache(thing('a', '3', 'red'))
  cache.observe({ type: 'upsert', item: thing('a', '9', 'blue') })
  cache.deleted({ name: 'a', resourceVersion: '3' })

  expect([...cache.items.values()].map(({ name, color }) => `${name} ${color.name}`)).toEqual(['a blue'])
})

test.each([
  ['stays gone when a full list that was made before comes later', '15', 'a 3', []],
  ['comes back with a full list that was made later', '21', 'a 20', ['a 20']],
])('what a list did not have %s', (_, version, listed, left) => {
  const { cache } = aCache(thing('a', '3', 'red'))
  cache.listing()
  cache.gone('a', '18')
  const [name = '', own = ''] = listed.split(' ')
  cache.observe({ type: 'sync', items: [thing(name, own, 'red')], resourceVersion: version })

  expect([...cache.items.values()].map(({ name, resourceVersion }) => `${name} ${resourceVersion}`)).toEqual(left)
})

test('what a list did not have comes back with the full list of a server that counts from less since', () => {
  const { cache } = aCache(thing('a', '3', 'red'))
  cache.gone('a', '18')
  cache.listing()
  cache.observe({ type: 'sync', items: [thing('a', '3', 'red')], resourceVersion: '5' })

  expect([...cache.items.keys()]).toEqual(['a'])
})
