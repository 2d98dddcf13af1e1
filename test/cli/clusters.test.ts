import { expect, test } from 'vitest'
import { aFolder, commitAll, runCli, writeFiles } from './run-cli.ts'

const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'
const CLUSTERS = {
  'fleet.yaml': `${HEAD} Fleet\nmetadata: {name: fleet}\nspec: {}\n`,
  'clusters/staging.yaml': `${HEAD} Cluster\nmetadata: {name: staging}\nspec: {paths: [fleet.yaml, shared], variables: {level: 2}}\n`,
  'clusters/production.yaml': `${HEAD} Cluster\nmetadata: {name: production}\nspec: {paths: [fleet.yaml, shared], variables: {level: 1}}\n`,
  'shared/workers.yaml': `${HEAD} NodePool\nmetadata: {name: workers}\nspec:\n  nodeSelector: {matchLabels: {role: worker}}\n  kubelet: {flags: {v: "{{ cluster.level }}"}}\n`,
  'nodes/staging.json': '[{"name": "s-0", "labels": {"role": "worker"}}]',
  'nodes/production.json': '[{"name": "p-0", "labels": {"role": "worker"}}, {"name": "p-1", "labels": {"role": "worker"}}]',
}

test('validate checks every cluster, or the one that is named', async () => {
  const folder = await aFolder(CLUSTERS)
  const all = await runCli(folder, ['validate'])
  expect(all.stdout).toBe('# cluster production\n\nvalid: 1 NodePool\n\n# cluster staging\n\nvalid: 1 NodePool\n')
  expect(all.code).toBe(0)
  expect((await runCli(folder, ['validate', '--cluster', 'staging'])).stdout).toBe('valid: 1 NodePool\n')
})

test('validate fails for a repository of which one cluster is invalid', async () => {
  const folder = await aFolder({
    ...CLUSTERS,
    'clusters/staging.yaml': CLUSTERS['clusters/staging.yaml'].replace('level', 'levle'),
  })
  const { stdout, code } = await runCli(folder, ['validate', '-o', 'json'])
  const { valid, clusters } = JSON.parse(stdout)
  expect(code).toBe(2)
  expect(valid).toBe(false)
  expect(clusters.map(({ cluster, valid }: { cluster: string; valid: boolean }) => [cluster, valid])).toEqual([
    ['production', true],
    ['staging', false],
  ])
  expect((await runCli(folder, ['validate', '--cluster', 'production'])).code).toBe(0)
})

test('validate fails for a Cluster that cannot be read, and warns of files that no cluster uses', async () => {
  const folder = await aFolder({
    ...CLUSTERS,
    'clusters/third.yaml': 'kind: [',
    'sharde/flags.yaml': CLUSTERS['shared/workers.yaml'],
  })
  const { stdout, code } = await runCli(folder, ['validate'])
  expect(code).toBe(2)
  expect(stdout).toContain('# all clusters together')
  expect(stdout).toContain('clusters/third.yaml:1:')
  expect(stdout).toContain('sharde/flags.yaml:1:1\n  warning: no cluster uses this file')
})

/** Pools of several clusters that wait for others. */
function waiting(dependsOn: Readonly<Record<string, string>>): Record<string, string> {
  const { 'shared/workers.yaml': workers, ...others } = CLUSTERS
  const own = Object.entries(dependsOn).flatMap(([cluster, on]) => [
    [`${cluster}/workers.yaml`, `${workers}  dependsOn: [${on}]\n`],
    [
      `clusters/${cluster}.yaml`,
      `${HEAD} Cluster\nmetadata: {name: ${cluster}}\nspec: {paths: [fleet.yaml, ${cluster}], variables: {level: 1}}\n`,
    ],
  ])
  return { ...others, ...Object.fromEntries(own) }
}

test('validate fails for pools of two clusters that wait for each other', async () => {
  const files = { production: '{cluster: staging, pool: workers}', staging: '{cluster: production, pool: workers}' }
  const { stdout, code } = await runCli(await aFolder(waiting(files)), ['validate'])
  expect(stdout).toContain(
    'pools of several clusters depend on each other in a circle: production/workers → staging/workers → production/workers',
  )
  expect(stdout).toContain('production/workers.yaml:7:15')
  expect(code).toBe(2)
})

test('validate fails for a pool that waits for one that the other cluster does not have', async () => {
  const files = { production: '{cluster: staging, pool: worker}', staging: '' }
  const { stdout, code } = await runCli(await aFolder(waiting(files)), ['validate'])
  expect(stdout).toContain(
    'pool "workers" waits for "worker", and cluster "staging" has no NodePool of this name\n  did you mean "workers"?',
  )
  expect(code).toBe(2)
})

test('validate passes for clusters in an order', async () => {
  const files = { production: '{cluster: staging, pool: workers}', staging: '' }
  expect((await runCli(await aFolder(waiting(files)), ['validate'])).code).toBe(0)
})

test.each(['render', 'plan', 'windows'])('%s asks for the cluster where there are several', async (command) => {
  const folder = await aFolder(CLUSTERS)
  await commitAll(folder)
  const nodes = command === 'windows' ? [] : ['--nodes', 'nodes/staging.json']
  const { stderr, code } = await runCli(folder, [command, ...nodes])
  expect(code).toBe(2)
  expect(stderr).toContain(
    'the repository is for several clusters, and none is named: production, staging\n  name one with --cluster',
  )
})

test('render renders the cluster that is named', async () => {
  const folder = await aFolder(CLUSTERS)
  const flags = async (cluster: string) =>
    (await runCli(folder, ['render', '--cluster', cluster, '--nodes', `nodes/${cluster}.json`, '-o', 'yaml'])).stdout
  expect(await flags('staging')).toContain('--v=2')
  expect(await flags('production')).toContain('--v=1')
})

test('plan of every cluster shows that a change of one leaves the others as they are', async () => {
  const folder = await aFolder(CLUSTERS)
  await commitAll(folder)
  await writeFiles(folder, { 'clusters/staging.yaml': CLUSTERS['clusters/staging.yaml'].replace('level: 2', 'level: 3') })
  const plan = ['plan', '--all-clusters', '--nodes', 'nodes', '--server-version', '1.36']
  const { stdout, code } = await runCli(folder, plan)
  expect(code).toBe(1)
  expect(stdout).toContain('# cluster production\n\nHEAD → working tree\n\nworkers  no change for 2 nodes')
  expect(stdout).toContain('# cluster staging\n\nHEAD → working tree\n\nworkers  1 of 1 node changes,')
  const { clusters } = JSON.parse((await runCli(folder, [...plan, '-o', 'json'])).stdout)
  expect(clusters.map(({ cluster }: { cluster: string }) => cluster)).toEqual(['production', 'staging'])
})

test('plan of every cluster names the one for which the fleet is invalid', async () => {
  const folder = await aFolder(CLUSTERS)
  await commitAll(folder)
  await writeFiles(folder, { 'clusters/staging.yaml': CLUSTERS['clusters/staging.yaml'].replace('level: 2', 'level: high') })
  const plan = ['plan', '--all-clusters', '--nodes', 'nodes', '--server-version', '1.36']
  const { stderr, code } = await runCli(folder, plan)
  expect(code).toBe(2)
  expect(stderr).toContain('the fleet is invalid for cluster "staging": 1 error')
})

test('plan of the commit that brings the Clusters compares with the fleet as a whole', async () => {
  const { 'clusters/staging.yaml': staging, 'clusters/production.yaml': production, ...before } = CLUSTERS
  const folder = await aFolder({
    ...before,
    'shared/workers.yaml': before['shared/workers.yaml'].replace('{{ cluster.level }}', '2'),
  })
  await commitAll(folder)
  await writeFiles(folder, { 'clusters/staging.yaml': staging, 'clusters/production.yaml': production, ...before })
  const plan = (cluster: string) =>
    runCli(folder, ['plan', '--cluster', cluster, '--nodes', `nodes/${cluster}.json`, '--server-version', '1.36'])
  expect((await plan('staging')).stdout).toContain('workers  no change for 1 node')
  expect((await plan('production')).stdout).toContain('workers  2 of 2 nodes change')
})
