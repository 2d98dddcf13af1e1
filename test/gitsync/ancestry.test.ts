import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isDescendant } from '../../src/gitsync/ancestry.ts'
import { followRepo } from '../../src/gitsync/follow-repo.ts'
import { createLocalSource } from '../../src/gitsync/local-source.ts'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { gitFixture } from './git-fixture.ts'

test('descends answers yes along any parent, no when all history was seen', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first')
  await it.git('checkout', '--quiet', '-b', 'side')
  const side = await it.commit('side')
  await it.git('checkout', '--quiet', 'main')
  const second = await it.commit('second')
  await it.git('merge', '--quiet', '--no-ff', '--message', 'merge', 'side')
  const merge = await it.git('rev-parse', 'HEAD')
  const store = objectStore(join(it.work, '.git'))
  expect(await isDescendant(store, { commit: merge, from: merge })).toBe('yes')
  expect(await isDescendant(store, { commit: merge, from: side })).toBe('yes')
  expect(await isDescendant(store, { commit: merge, from: first })).toBe('yes')
  expect(await isDescendant(store, { commit: second, from: side })).toBe('no')
  expect(await isDescendant(store, { commit: first, from: second })).toBe('no')
})

test('descends answers unknown when history is cut off or longer than is looked at', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first')
  await it.pile(3)
  await it.git('clone', '--quiet', '--bare', '--depth', '2', `file://${it.work}`, '../shallow.git')
  const head = await it.git('rev-parse', 'main')
  expect(await isDescendant(objectStore(join(it.folder, 'shallow.git')), { commit: head, from: first })).toBe('unknown')
  const whole = objectStore(join(it.work, '.git'))
  expect(await isDescendant(whole, { commit: head, from: first, limit: 2 })).toBe('unknown')
  expect(await isDescendant(whole, { commit: head, from: first, limit: 4 })).toBe('yes')
})

test('followRepo refuses a head, saying that it cannot tell, when the repository is shallow', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first')
  await it.pile(3)
  await it.git('clone', '--quiet', '--bare', '--depth', '2', `file://${it.work}`, '../shallow.git')
  const stop = new AbortController()
  const source = createLocalSource({ path: join(it.folder, 'shallow.git'), ref: { branch: 'main' } })
  for await (const event of followRepo(source, { signal: stop.signal, lastAccepted: first }).events) {
    expect(event).toMatchObject({ type: 'refused', reason: 'AncestryUnknown' })
    break
  }
})
