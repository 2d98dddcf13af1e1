import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseNotificationSettings } from '../../src/notify/channel-settings.ts'
import { cloudEvent } from '../../src/notify/cloud-events.ts'
import { TEMPLATE_FIELDS } from '../../src/notify/template.ts'

const page = await readFile('docs/notifications.md', 'utf8')
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''

test('the example of the page on notifications is valid', () => {
  const { channels } = parseNotificationSettings(parse(blockOf('yaml')))

  expect(channels.map(({ name, perMinute }) => `${name} ${perMinute}`)).toEqual([
    'platform 20',
    'gpu-team 20',
    'events 120',
    'on-call 20',
  ])
})

test('the page has every field of a template', () => {
  const [, rows = ''] = /^\| field of a template \| value \|\n\|---\|---\|\n(.*?)\n\n/ms.exec(page) ?? []
  const named = rows.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z]+)`/g)].map(([, name]) => name))

  expect(named).toEqual([...TEMPLATE_FIELDS])
})

test('the event on the page has the fields of one that is sent', () => {
  const { data, id, source, time } = JSON.parse(blockOf('json'))
  const { pool, reason, ...rest } = data

  expect(cloudEvent({ id, source, time, pool, reason, ...rest })).toEqual(JSON.parse(blockOf('json')))
})
