/** Pushes to a real forge: how soon they arrive, what the forge shows, and what happens when a secret, a token or the forge itself is gone. */
import { readFile, writeFile } from 'node:fs/promises'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes, isAssigned } from '../product/course.ts'
import { forgeFiles } from '../product/forge-controller.ts'
import { waitPool } from '../product/pool.ts'
import { check, type Report } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import type { World } from './world.ts'

/** Each takes seconds; twenty tell more. */
const pushes = Number(process.env.NODEWAVE_E2E_PUSHES ?? 7)
/** Milliseconds. On a machine that does nothing else it is a tenth of that; a poll would be an hour. */
const SOON = 5000

const inWaves = {
  maxUnavailable: 1,
  waves: [
    { name: 'canary', nodes: 1, soak: '2s' },
    { name: 'rest', nodes: '100%' },
  ],
}

/** A push begins its rollout by the webhook; the forge shows pending, then success. */
export async function pushAndStatuses({ repository, fleet, settled, shows }: World): Promise<void> {
  const commit = await repository.push(await fleet(71, { rollout: inWaves }), 'one more pod')
  await settled(commit)
  const states = await shows(commit, 'success')
  check('the forge showed pending before success', states[0] === 'pending' && states.at(-1) === 'success', states)
}

/** From `git push` to the first node that is assigned the commit. */
export async function measurePushes({ cluster, repository, fleet, settled }: World, { time, say }: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const fromBegin: number[] = []
  const fromEnd: number[] = []
  for (let index = 0; index < pushes; index++) {
    await repository.commit(await fleet(100 + index), `push ${index}`)
    const begun = performance.now()
    const commit = await repository.publish()
    const ended = performance.now()
    const { at } = await timeline.first((moment) => isAssigned(moment, commit), 'a node to be assigned')
    fromBegin.push(at - begun)
    fromEnd.push(at - ended)
    await settled(commit)
  }
  time('begin of git push → first node assigned, p50', median(fromBegin))
  time('end of git push → first node assigned, p50', median(fromEnd))
  say(`end of git push → first node assigned, ms: ${fromEnd.map(Math.round).sort((a, b) => a - b)}`)
  check('a push reaches its first node soon', median(fromEnd) < SOON, fromEnd)
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

/** A delivery that another secret signs changes nothing. */
export async function wrongSecret({ cluster, repository, fleet, settled, controller }: World): Promise<void> {
  const { secret: path } = forgeFiles(cluster)
  const secret = await readFile(path, 'utf8')
  await writeFile(path, 'another-secret-of-somebody')
  const heard = controller.log().length
  const ignored = await repository.push(await fleet(80), 'nobody hears of it')
  const refused = () => controller.log().slice(heard).includes('the signature does not match')
  await waitUntil(refused, { for: 'the delivery to be refused' })
  await waitPool(cluster, { for: 'the commit before', when: ({ observedRevision }) => observedRevision !== ignored })
  await writeFile(path, secret)
  await settled(await repository.push(await fleet(81), 'heard again'))
}

/** The token is replaced in its file, and the former one is revoked. */
export async function rotatedToken({ cluster, gitea, repository, fleet, settled, shows }: World): Promise<void> {
  await writeFile(forgeFiles(cluster).token, await gitea.token('controller-2', ['write:repository']))
  await gitea.revoke('controller')
  const commit = await repository.push(await fleet(82), 'with the next token')
  await settled(commit)
  await shows(commit, 'success')
}

/** The rollout goes on without the forge, which shows the truth when it is back. */
export async function forgeAway({ cluster, gitea, repository, fleet, settled, shows }: World): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const commit = await repository.push(await fleet(83, { rollout: inWaves }), 'the forge leaves')
  await timeline.first((moment) => isAssigned(moment, commit), 'a node to be assigned')
  await gitea.stop()
  check('the forge left in the middle', assignedNodes(await timeline.upToNow(), commit).length < 10)
  await settled(commit)
  await gitea.start()
  await shows(commit, 'success')
}
