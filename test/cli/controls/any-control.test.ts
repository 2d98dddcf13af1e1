import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aStage, POOLS } from '../../controller/stage.ts'
import { aFolder, runCli } from '../run-cli.ts'
import { A, aFleetWith, B } from './manual-stage.ts'

test('a pool that there is not is an error with what was meant, and nothing is written', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect(await run('pause', 'worker')).toEqual({
    stdout: '',
    stderr: 'error: unknown pool "worker"; did you mean "workers"?\n',
    code: 2,
  })
  expect(await run('pause')).toMatchObject({ stderr: 'error: missing argument: name a pool, or use --all\n', code: 2 })
  expect(await run('pause', 'workers', '--all')).toMatchObject({ code: 2 })
})

test.each([
  ['promote', 'promote', { Stalled: 'WaitingForPromotion' }, A],
  ['retry', 'retry', { Stalled: 'Halted' }, A],
  ['rollback', 'rollback', { Stalled: 'Halted' }, B],
])(
  '%s is refused to a second operator while the same request of the first stands there',
  async (verb, word, { Stalled }, value) => {
    await using stage = await aStage()
    const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
    const [atA, atB] = [
      { revision: A, fingerprint: 'v1:a' },
      { revision: B, fingerprint: 'v1:b' },
    ]
    const conditions = [
      { type: 'Stalled', status: 'True', reason: Stalled, message: '', lastTransitionTime: '2026-11-21T08:00:00Z' },
    ]
    const history = [{ ...atB, startedAt: '2026-11-21T08:00:00Z', result: 'Completed' }]
    const annotations = { [`nodewave.io/${word}`]: value, [`nodewave.io/${word}-by`]: 'ada 2026-11-21T09:00:00Z' }
    await stage.kube.create(POOLS, {
      ...{ apiVersion: 'nodewave.io/v1alpha1', kind: 'NodePool', metadata: { name: 'workers', annotations } },
      spec: { nodeSelector: { matchLabels: { role: 'worker' } } },
    })
    const lists = { rollbackTo: [atB], held: [], controls: [], rejected: [atA], failed: [] }
    const nodes = { total: 1, current: 0, byPhase: {} }
    await stage.kube.patch(`${POOLS}/workers/status`, { status: { target: atA, history, conditions, nodes, ...lists } })

    expect(await runCli(folder, [verb, 'workers', '--kubeconfig', join(folder, 'kubeconfig')])).toEqual({
      stdout: '',
      stderr: `error: pool "workers" was asked the same by ada at 2026-11-21T09:00:00Z; see what came of it with: nodewave status workers; if the request stays, remove it before you ask again: kubectl annotate nwp/workers nodewave.io/${word}-\n`,
      code: 2,
    })
  },
)

test('reconcile asks every pool for a look at the repository', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect((await run('reconcile', '--wait')).stdout).toBe(
    'the controller fetches the repository (by anyone)\nworkers: the repository is fetched\n',
  )
})

test('waiting ends with 1 when no controller answers', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.kube.create(POOLS, {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'workers' },
    spec: { nodeSelector: { matchLabels: { role: 'worker' } } },
  })
  const args = ['pause', 'workers', '--wait', '--timeout', '1s', '--kubeconfig', join(folder, 'kubeconfig')]

  expect(await runCli(folder, args)).toMatchObject({
    stdout: expect.stringContaining('workers: not yet; check that a controller runs, and check with: nodewave status\n'),
    code: 1,
  })
})

test('a context of the kubeconfig can be named, and one that there is not is told of', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })

  const outcome = await runCli(folder, ['pause', 'workers', '--kubeconfig', 'kubeconfig', '--context', 'other'])

  expect(outcome.stderr).toBe(`error: failed to find context "other" in "${join(folder, 'kubeconfig')}": it has "simulated"\n`)
})

test('a server that does not say who asks has the person say it', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.server.faults.failNext({ verb: 'create', resource: 'selfsubjectreviews.authentication.k8s.io', code: 403 })

  expect((await run('pause', 'workers')).stderr).toContain('name yourself with --as-name NAME')
})
