import { expect, test } from 'vitest'
import { poolKey, readKey } from '../../../src/controller/writes/write-failures.ts'
import { assign, NOW, retry, somePoolWrites, uncordon } from './some-pool-writes.ts'

test('a status that is news is written before the nodes of its decision, which count as assigned meanwhile', async () => {
  const { begin, since, status } = somePoolWrites({ dueAt: NOW })
  expect(begin(assign('a'))).toBeUndefined()
  expect(await since()).toEqual(['assume assign a', 'assume status of workers', 'write status of workers'])
  status.resolve(true)
  expect(await since()).toEqual(['begin assign a with d', 'afterwards workers', 'changed'])
})

test('where the nodes are read first, uncordons wait for that, and not for the status', async () => {
  const { begin, since, nodes, status } = somePoolWrites({ dueAt: NOW, isOpen: true })
  begin(uncordon('a'), assign('b'))
  expect(await since()).toEqual(['assume assign b', 'assume status of workers', 'read nodes of workers'])
  nodes.resolve(true)
  expect(await since()).toEqual(['assume uncordon a', 'begin uncordon a', 'write status of workers'])
  status.resolve(true)
  expect(await since()).toEqual(['begin assign b with d', 'afterwards workers', 'changed'])
})

test('where the nodes turn out to be others, none is uncordoned, and that is decided again', async () => {
  const { begin, since, nodes } = somePoolWrites({ dueAt: NOW, isOpen: true })
  begin(uncordon('a'), assign('b'))
  nodes.resolve(false)
  expect(await since()).toEqual([
    ...['assume assign b', 'assume status of workers', 'read nodes of workers', 'withdraw assign b', 'changed'],
  ])
})

test('where the nodes are read first, uncordons do not wait until the server takes a status that it refused', async () => {
  const { begin, since, nodes, failures } = somePoolWrites({ dueAt: NOW, isOpen: true })
  failures.failed(poolKey('workers'), { error: new Error('no'), now: NOW })
  begin(uncordon('a'), assign('b'))
  expect(await since()).toEqual(['read nodes of workers'])
  nodes.resolve(true)
  expect(await since()).toEqual(['assume uncordon a', 'begin uncordon a', 'changed'])
})

test('where the nodes cannot be read, they are read again later, and the status that the server refused is not put off for that', async () => {
  const { begin, since, nodes, failures } = somePoolWrites({ dueAt: NOW, isOpen: true })
  const until = failures.failed(poolKey('workers'), { error: new Error('no'), now: NOW }).until
  begin(uncordon('a'), assign('b'))
  nodes.reject(new Error('away'))
  await since()
  begin(uncordon('a'), assign('b'))
  expect(await since()).toEqual([])
  expect(failures.of(poolKey('workers'))?.until).toBe(until)
})

test('a status that is written ends what kept nodes from being read before', async () => {
  const { begin, nodes, status, since, failures } = somePoolWrites({ dueAt: NOW, isOpen: true })
  failures.failed(readKey('workers'), { error: new Error('away'), now: NOW })
  begin(assign('b'))
  nodes.resolve(true)
  status.resolve(true)
  await since()
  expect(failures.refusals(NOW)).toEqual([])
})

test('no nodes are read while the server refuses the status of a pool that uncordons none', async () => {
  const { begin, since, failures } = somePoolWrites({ dueAt: NOW, isOpen: true })
  failures.failed(poolKey('workers'), { error: new Error('no'), now: NOW })
  begin(assign('b'))
  expect(await since()).toEqual([])
})

test('a node is not uncordoned after the nodes were read when a decision that came meanwhile keeps it under cordon', async () => {
  const { begin, since, nodes } = somePoolWrites({ dueAt: NOW, isOpen: true })
  begin(uncordon('a'), uncordon('b'))
  await since()
  begin(uncordon('b'), uncordon('c'))
  nodes.resolve(true)
  expect(await since()).toEqual(['assume uncordon b', 'begin uncordon b', 'write status of workers'])
})

test('a status of mere counts keeps no node waiting', async () => {
  const { begin, since } = somePoolWrites({ dueAt: NOW, isNews: false })
  begin(assign('a'))
  expect(await since()).toEqual([
    ...['assume assign a', 'assume status of workers', 'begin assign a with d', 'write status of workers'],
  ])
})

test('a status that is due later is not written, and the time for it is told', async () => {
  const { begin, since } = somePoolWrites({ dueAt: NOW + 1 })
  expect(begin()).toBe(NOW + 1)
  expect(await since()).toEqual([])
  expect(begin(assign('a'))).toBe(NOW + 1)
  expect(await since()).toEqual(['assume assign a', 'begin assign a with d', 'afterwards workers'])
})

test('a status that stands there as it is asks for no other decision', async () => {
  const { begin, since } = somePoolWrites()
  expect(begin()).toBeUndefined()
  expect(await since()).toEqual([])
  begin(assign('a'))
  expect(await since()).toEqual(['assume assign a', 'begin assign a with d', 'afterwards workers'])
  begin(assign('b'))
  expect(await since()).toEqual(['assume assign b', 'begin assign b with d', 'afterwards workers'])
})

test('what was not written because something else went first is decided again, and its nodes count as before', async () => {
  const { begin, since, status } = somePoolWrites({ dueAt: NOW })
  begin(assign('a'), retry)
  await since()
  status.resolve(false)
  expect(await since()).toEqual(['withdraw assign a', 'changed'])
})

test('a status that could not be written keeps its nodes from being assigned', async () => {
  const { begin, since, status } = somePoolWrites({ dueAt: NOW })
  begin(assign('a'))
  await since()
  status.reject(new Error('no'))
  expect(await since()).toEqual(['withdraw assign a', 'failed pool workers: no', 'changed'])
})

test('what fails after the nodes were begun takes none of them back', async () => {
  const { begin, since, status, journal } = somePoolWrites({ dueAt: NOW })
  journal.fault = new Error('later')
  begin(assign('a'))
  await since()
  status.resolve(true)
  expect(await since()).toEqual(['begin assign a with d', 'afterwards workers', 'failed copy workers: later', 'changed'])
})

test('nodes that do not wait for a status stay begun when it could not be written', async () => {
  const { begin, since, status } = somePoolWrites({ dueAt: NOW, isNews: false })
  begin(assign('a'))
  await since()
  status.reject(new Error('no'))
  expect(await since()).toEqual(['failed pool workers: no', 'changed'])
})

test('a pass that comes while news are written leaves its actions, and the nodes of the first are decided again', async () => {
  const { begin, since, status } = somePoolWrites({ dueAt: NOW })
  begin(assign('a'))
  await since()
  expect(begin(assign('b'), uncordon('c'))).toBeUndefined()
  expect(await since()).toEqual(['assume uncordon c', 'begin uncordon c'])
  status.resolve(true)
  expect(await since()).toEqual(['withdraw assign a', 'afterwards workers', 'changed'])
})
