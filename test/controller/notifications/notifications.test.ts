import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseNotificationSettings } from '../../../src/notify/channel-settings.ts'
import { channelsOf } from '../../../src/notify/channels.ts'
import { aReceiver, type Received } from '../../notify/a-receiver.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage } from '../stage.ts'

const typeOf = ({ body }: Received) => (body as { type: string }).type
const idOf = ({ body }: Received) => (body as { id: string }).id

test('a webhook hears of rollouts once, though the controller is replaced in between and the webhook fails', async () => {
  await using receiver = await aReceiver()
  await using stage = await aStage()
  const folder = await mkdtemp(join(tmpdir(), 'notify-'))
  await writeFile(join(folder, 'url'), `${receiver.url}/events`)
  const settings = parseNotificationSettings({ channels: [{ name: 'ops', cloudEvents: { urlFile: join(folder, 'url') } }] })
  const notifications = await channelsOf(settings, { insecureHttp: true, resolve: (path) => path })
  receiver.answers.push({ status: 503 })
  await stage.addNodes(2)
  stage.startAgents()
  const end = stage.startController({ notifications })
  stage.push('a', aFleet())
  const tick = () => setInterval(() => stage.clock.advance(1000), 10)
  let ticking = tick()
  await stage.completed('a'.repeat(40))
  await receiver.after(3)
  clearInterval(ticking)
  await end()
  ticking = tick()
  stage.startController({ notifications })
  stage.push('b', aFleet({ v: 3 }))
  await receiver.after(5)
  clearInterval(ticking)

  const taken = receiver.received.slice(1)
  expect(taken.map(typeOf)).toEqual([
    'io.nodewave.pool.RolloutStarted',
    'io.nodewave.pool.RolloutCompleted',
    'io.nodewave.pool.RolloutStarted',
    'io.nodewave.pool.RolloutCompleted',
  ])
  expect(new Set(taken.map(idOf)).size).toBe(4)
  await rm(folder, { recursive: true })
})
