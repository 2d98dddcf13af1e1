import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withModelines } from '../../src/cli/init/modelines.ts'
import { clusterOfOneNode } from './cluster-of-one-node.ts'
import { aFolder, commitAll, NODES, runCli, writeFiles } from './run-cli.ts'

const SCHEMAS = [...[31, 32, 33, 34, 35, 36].map((minor) => `nodewave-1.${minor}`), 'nodewave']

test('init writes a repository that is valid, without a warning', async () => {
  const folder = await aFolder({})
  expect(await runCli(folder, ['init', 'fleet'])).toEqual({
    stdout: `wrote 14 files to "fleet"
${SCHEMAS.map((name) => `  .nodewave/schemas/${name}.json\n`)
  .join('')
  .replace(/^/, '  .gitignore\n')}  .vscode/settings.json
  CODEOWNERS
  README.md
  flags/baseline.yaml
  fleet.yaml
  pools/workers.yaml

next:
  nodewave validate fleet
  git -C fleet init -b main && git -C fleet add . && git -C fleet commit -m 'a new fleet'

Do nodes run already? \`nodewave init DIR --from-cluster\` writes what they run.
`,
    stderr: '',
    code: 0,
  })
  expect(await runCli(folder, ['validate', 'fleet'])).toEqual({
    stdout: 'valid: 1 NodePool, 1 FlagSet\n',
    stderr: '',
    code: 0,
  })
})

test('the next steps of init are for a shell, whatever the name of the folder', async () => {
  const { stdout } = await runCli(await aFolder({}), ['init', "Anna's fleet", '-o', 'json'])
  expect(JSON.parse(stdout).next).toEqual([
    String.raw`nodewave validate 'Anna'\''s fleet'`,
    String.raw`git -C 'Anna'\''s fleet' init -b main && git -C 'Anna'\''s fleet' add . && git -C 'Anna'\''s fleet' commit -m 'a new fleet'`,
  ])
})

test('the repository of init has a node when somebody sets the label', async () => {
  const folder = await aFolder({ 'nodes.json': NODES })
  await runCli(folder, ['init', 'fleet'])
  await commitAll(join(folder, 'fleet'))
  const pools = async () => {
    const { stdout } = await runCli(folder, ['plan', 'fleet', '--nodes', 'nodes.json', '--server-version', '1.36'])
    return stdout.split('\n').filter((line) => line.startsWith('workers'))
  }
  expect(await pools()).toEqual(['workers  selects no node'])
  await writeFiles(folder, {
    'nodes.json': NODES.replaceAll('"role":"worker"', '"node-restriction.kubernetes.io/pool":"workers"'),
  })
  expect(await pools()).toEqual(['workers  no change for 2 nodes'])
})

test('the editor settings of init name a schema that is there', async () => {
  const folder = await aFolder({})
  await runCli(folder, ['init'])
  const settings = JSON.parse(await readFile(join(folder, '.vscode/settings.json'), 'utf8'))
  expect(settings).toEqual({ 'yaml.schemas': { './.nodewave/schemas/nodewave.json': '*.yaml' } })
  expect(await readdir(join(folder, '.nodewave/schemas'))).toContain('nodewave.json')
})

test('documents of init name a schema that is there', async () => {
  const folder = await aFolder({})
  await runCli(folder, ['init'])
  const firstLines = ['fleet.yaml', 'pools/workers.yaml', 'flags/baseline.yaml'].map(async (path) =>
    (await readFile(join(folder, path), 'utf8')).slice(0, 80).split('\n').at(0),
  )
  expect(await Promise.all(firstLines)).toEqual([
    '# yaml-language-server: $schema=.nodewave/schemas/nodewave.json',
    '# yaml-language-server: $schema=../.nodewave/schemas/nodewave.json',
    '# yaml-language-server: $schema=../.nodewave/schemas/nodewave.json',
  ])
})

test('init adds no line to files of hosts', () => {
  expect(withModelines({ 'hosts/files/workers/etc/a.yaml': 'a: 1\n', 'hosts/workers.yaml': 'b: 1\n', 'README.md': '#' })).toEqual(
    {
      'hosts/files/workers/etc/a.yaml': 'a: 1\n',
      'hosts/workers.yaml': '# yaml-language-server: $schema=../.nodewave/schemas/nodewave.json\nb: 1\n',
      'README.md': '#',
    },
  )
})

test.each([
  ['github', '.github/workflows/plan.yml', '          folder: .\n'],
  ['gitlab', '.gitlab-ci.yml', ' nodewave plan . --pr '],
  ['gitea', '.gitea/workflows/plan.yml', ' nodewave plan . --pr '],
])('init --ci %s writes the CI file for the folder of the fleet', async (forge, path, line) => {
  const folder = await aFolder({})
  expect((await runCli(folder, ['init', '--ci', forge])).code).toBe(0)
  expect(await readFile(join(folder, path), 'utf8')).toContain(line)
  expect((await runCli(folder, ['validate'])).stdout).toBe('valid: 1 NodePool, 1 FlagSet\n')
})

test('init names the files that it would write over, and writes nothing', async () => {
  const folder = await aFolder({ 'README.md': '# mine\n', 'pools/others.txt': '' })
  await symlink('nowhere', join(folder, 'fleet.yaml'))
  expect(await runCli(folder, ['init'])).toEqual({
    stdout: '',
    stderr: `error: "${folder}" already has "fleet.yaml", "README.md", and init writes over no file; choose another folder\n`,
    code: 2,
  })
  expect(await readdir(folder)).toEqual(['README.md', 'fleet.yaml', 'pools'])
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('# mine\n')
})

test('init writes through no symbolic link', async () => {
  const folder = await aFolder({ 'elsewhere/mine.txt': '', 'fleet/mine.txt': '' })
  await symlink(join(folder, 'elsewhere'), join(folder, 'fleet/.vscode'))
  expect(await runCli(folder, ['init', 'fleet'])).toEqual({
    stdout: '',
    stderr: `error: refuse to write through the symbolic link ".vscode" in "${join(folder, 'fleet')}"; remove it, or name a new folder\n`,
    code: 2,
  })
  expect([await readdir(join(folder, 'fleet')), await readdir(join(folder, 'elsewhere'))]).toEqual([
    ['.vscode', 'mine.txt'],
    ['mine.txt'],
  ])
})

test('init a second time names the files of the first', async () => {
  const folder = await aFolder({})
  await runCli(folder, ['init', '-o', 'json'])
  const { stderr, code } = await runCli(folder, ['init'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('"fleet.yaml", "pools/workers.yaml", "flags/baseline.yaml"')])
})

test('init writes nothing where documents of the folder make the fleet invalid', async () => {
  const other = 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: other}\nspec: {}\n'
  const folder = await aFolder({ 'other.yaml': other })
  const { stderr, code } = await runCli(folder, ['init'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`nothing is written: with the files in "${folder}" the fleet is invalid: 1 error; name a new folder`),
  ])
  expect(await readdir(folder)).toEqual(['other.yaml'])
})

test('init --ci refuses a folder within a repository, where no forge reads the file', async () => {
  const folder = await aFolder({ 'README.md': '' })
  await commitAll(folder)
  expect((await runCli(folder, ['init', 'fleet', '--ci', 'gitea'])).stderr).toBe(
    `error: --ci needs the top of a repository: "${join(folder, 'fleet')}" is in the repository "${folder}"; choose a folder outside of it, or omit --ci and copy the file from examples/ci\n`,
  )
  const { stdout, code } = await runCli(folder, ['init', 'fleet'])
  expect(code).toBe(0)
  expect(stdout).toContain(`
  # "fleet" is in the repository "${folder}", and is committed there; for a repository of its own, run first:
  # git -C fleet init -b main
  git -C fleet add . && git -C fleet commit -m 'a new fleet'
`)
})

test('init --ci writes into a repository that is there', async () => {
  const folder = await aFolder({ 'nodes.json': NODES })
  await commitAll(folder)
  const { stdout, code } = await runCli(folder, ['init', '--ci', 'github'])
  expect(code).toBe(0)
  expect(stdout).toContain(`
next:
  nodewave validate .
  kubectl get nodes -o json > ./nodes.json # CI plans for these
  # in .github/workflows/plan.yml: enter the owner of nodewave and the version of your API servers
  git -C . add . && git -C . commit -m 'a new fleet'
`)
})

test('init into a file says that it is one', async () => {
  const folder = await aFolder({ fleet: '' })
  const { stderr, code } = await runCli(folder, ['init', 'fleet'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('it is a file, or a part of the path is one; name a folder')])
})

test('init prints what it wrote as JSON', async () => {
  const folder = await aFolder({})
  await writeFiles(folder, { 'fleet/nodes.json': NODES })
  const { stdout } = await runCli(folder, ['init', 'fleet', '--ci', 'gitlab', '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({ folder: 'fleet', files: expect.arrayContaining(['.gitlab-ci.yml', 'fleet.yaml']) })
})

const FROM_CLUSTER = ['init', 'fleet', '--from-cluster', '--kubeconfig', 'kubeconfig']

test('init --from-cluster writes what the nodes run, with the files for Git, editors and CI', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: { maxPods: 250 } } })
  const { stdout, stderr, code } = await runCli(folder, [...FROM_CLUSTER, '--host', 'w-1.json', '--ci', 'github'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`
  pools/workers.yaml

POOL     NODES  KUBELET
workers  1      not managed

3 comments in the files: what was left as it is, why, and what to do
  workers  the version of the kubelet
  workers  swap is off
  workers  taints dedicated=db:NoSchedule

next:
  nodewave validate fleet
  kubectl get nodes -o json > fleet/nodes.json # CI plans for these
  # in .github/workflows/plan.yml: enter the owner of nodewave and the version of your API servers
  git -C fleet init -b main && git -C fleet add . && git -C fleet commit -m 'as the nodes run'
  nodewave plan fleet # no change: the nodes run it already
`)
  expect(await readdir(join(folder, 'fleet'))).toEqual(
    expect.arrayContaining(['.github', '.gitignore', '.nodewave', '.vscode', 'CODEOWNERS', 'README.md', 'config', 'fleet.yaml']),
  )
  expect(await readFile(join(folder, 'fleet/config/base.yaml'), 'utf8')).toContain('maxPods: 250')
  expect(await readFile(join(folder, 'fleet/README.md'), 'utf8')).toContain('## The first rollout')
  expect((await runCli(folder, ['validate', 'fleet'])).code).toBe(0)
})

test('init --from-cluster names the nodes without an inventory, whose pools manage nothing', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: {} } })
  const { stdout, code } = await runCli(folder, FROM_CLUSTER)
  expect([code, stdout]).toEqual([0, expect.stringContaining('no inventory of w-1: their pools manage nothing yet')])
  expect((await runCli(folder, ['validate', 'fleet'])).code).toBe(0)
})

test('init --from-cluster prints what it imported as JSON', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: { maxPods: 250 } } })
  const { stdout } = await runCli(folder, [...FROM_CLUSTER, '--host', 'w-1.json', '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ folder: 'fleet', files: expect.arrayContaining(['CODEOWNERS', 'pools/workers.yaml']), valid: true, changes: [] },
    pools: [{ name: 'workers', nodes: ['w-1'] }],
  })
})

test('init --from-cluster refuses an inventory in the folder that is committed', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: {} } })
  const { stderr, code } = await runCli(folder, ['init', '--from-cluster', '--kubeconfig', 'kubeconfig', '--host', 'w-1.json'])
  expect([code, stderr]).toEqual([
    2,
    `error: --host "w-1.json" is in the folder of the repository, "${folder}": it has contents of hosts, and would be committed; move it out of the folder\n`,
  ])
})

test('init --from-cluster writes over no file', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: {} } })
  await writeFiles(folder, { 'fleet/pools/workers.yaml': '# mine\n' })
  const { stderr, code } = await runCli(folder, FROM_CLUSTER)
  expect([code, stderr]).toEqual([2, expect.stringContaining('already has "pools/workers.yaml"')])
  expect(await readdir(join(folder, 'fleet'))).toEqual(['pools'])
})

test.each([
  ['a name that leads out of the folder', { metadata: { name: '../../w' } }, 'items.0.metadata.name: '],
  ['a name that a shell obeys', { metadata: { name: 'w;reboot' } }, 'items.0.metadata.name: '],
  ['no name', { metadata: {} }, 'items.0.metadata.name: '],
])('init --from-cluster refuses a Node with %s, and says what is wrong', async (_, node, problem) => {
  const folder = await clusterOfOneNode({ status: 200, body: {} }, node)
  const { stderr, code } = await runCli(folder, FROM_CLUSTER)
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      `error: failed to read nodes from the cluster: expected the output of kubectl get nodes -o json; ${problem}`,
    ),
  ])
  expect(await readdir(folder)).toEqual(['kubeconfig', 'w-1.json'])
})

test.each([
  ['--host', '--host', 'hosts'],
  ['--no-configz', '--no-configz'],
  ['--context', '--context', 'production'],
])('init refuses %s without --from-cluster', async (option, ...args) => {
  const folder = await aFolder({})
  expect(await runCli(folder, ['init', 'fleet', ...args])).toEqual({
    stdout: '',
    stderr: `error: ${option} needs --from-cluster: without it, no cluster is asked; add it\n`,
    code: 2,
  })
  expect(await readdir(folder)).toEqual([])
})
