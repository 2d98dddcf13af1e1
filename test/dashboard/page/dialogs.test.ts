/** Dialogs of the page whose answers come late: what is shown under a name is of that name. */
import { expect, test } from 'vitest'
import { openAction, prepareActions } from '../../../src/dashboard/page/action.js'
import { openNode } from '../../../src/dashboard/page/node-dialog.js'
import { pageDouble } from './page-double.ts'

const facts = (pool: string): Response => Response.json([['pool', pool]])
const outcome = (text: string): Response => Response.json({ isDone: true, text })

test('dialog of a node shows nothing of the node that was opened before', async () => {
  const page = pageDouble()
  void openNode('n1')
  void openNode('n2')
  await page.answer('nodes/n2', facts('of n2'))
  await page.answer('nodes/n1', facts('of n1'))

  expect([page.part('node-name').textContent, page.part('node-facts').text]).toEqual(['n2', expect.stringContaining('of n2')])
  expect(page.part('node-facts').text).not.toContain('of n1')
})

test('dialog of a node says so when nobody answers', async () => {
  const page = pageDouble()
  const opened = openNode('n1')
  await page.answer('nodes/n1', new TypeError('Failed to fetch'))
  await opened

  expect(page.part('node-facts').text).toContain('cannot be read')
})

test('dialog of an action shows nothing of the action that was run before', async () => {
  const page = pageDouble()
  prepareActions()
  openAction('nodewave pause workers')
  page.part('action-run').click()
  openAction('nodewave rollback gpus')
  await page.answer('actions', outcome('paused'))

  expect([page.part('action-outcome').textContent, page.part('action-run').disabled]).toEqual(['', false])
  page.part('action-run').click()
  await page.answer('actions', outcome('rolled back'))
  expect([page.part('action-outcome').textContent, page.part('action-run').disabled]).toEqual(['rolled back', true])
})
