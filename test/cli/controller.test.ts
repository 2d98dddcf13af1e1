import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findRepo } from '../../src/cli/controller/find-repo.ts'
import { type ControllerSetup, runController } from '../../src/cli/controller/run-controller.ts'
import { ceilingCrd } from '../../src/controller/crds/ceiling-crd.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, assignedRevision, NODES } from '../controller/stage.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodewave-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main']
  return execFileSync('git', ['-C', join(folder, 'repo'), ...identity, ...args], { encoding: 'utf8' }).trim()
}

async function commitFleet(v: number): Promise<string> {
  const fleet = join(folder, 'repo', 'fleet')
  await mkdir(fleet, { recursive: true })
  for (const [name, text] of Object.entries(aFleet({ v }))) await writeFile(join(fleet, name), text)
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', `verbosity ${v}`)
  return git('rev-parse', 'HEAD')
}

function setup(more: Partial<ControllerSetup> = {}): ControllerSetup {
  return { repo: 'repo', path: 'fleet', cwd: folder, env: {}, log: () => undefined, ...more }
}

test('a commit to a repository on this machine reaches the nodes at once, and the signal ends the controller', async () => {
  await using stage = await aStage()
  await stage.kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ceilingCrd())
  await stage.addNodes(2)
  await writeFile(join(folder, 'kubeconfig'), stage.server.kubeconfig())
  const first = await commitFleet(2)
  const stop = new AbortController()
  const running = runController(setup({ kubeconfig: join(folder, 'kubeconfig') }), stop.signal)
  await stage.until(NODES, (nodes) => [...nodes.values()].every((node) => assignedRevision(node) === first))
  const second = await commitFleet(4)
  await stage.until(NODES, (nodes) => [...nodes.values()].every((node) => assignedRevision(node) === second))
  stop.abort()
  await running
})

test('a start without the NodePool kind says how to install it', async () => {
  await using stage = await aStage()
  await stage.kube.delete('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.nodewave.io')
  await writeFile(join(folder, 'kubeconfig'), stage.server.kubeconfig())
  await commitFleet(2)
  const running = runController(setup({ kubeconfig: join(folder, 'kubeconfig') }), new AbortController().signal)
  await expect(running).rejects.toThrow('kubectl apply -f deploy/crds/nodepools.yaml')
})

test('the folder of a path below the root of a repository is counted from its root', async () => {
  await commitFleet(2)
  expect((await findRepo(setup({ repo: 'repo/fleet', path: './' }))).folder).toBe('fleet')
  expect((await findRepo(setup({ repo: 'repo/fleet', path: 'pools/' }))).folder).toBe('fleet/pools')
  expect((await findRepo(setup({ repo: 'repo', path: '' }))).folder).toBe('')
})

test('a clone is kept in the state directory, and nowhere else', async () => {
  const { close } = await findRepo(setup({ repo: 'https://git.example.com/fleet.git', stateDir: 'state' }))
  expect(await readdir(join(folder, 'state'))).toEqual([expect.stringMatching(/^nodewave-git-\d+-.{6}$/)])
  await close()
  expect(await readdir(join(folder, 'state'))).toEqual([])
})

test.each([
  [
    { repo: 'git@git.example.com:fleet.git' },
    '--repo git@git.example.com:fleet.git needs --ssh-key-file and --ssh-known-hosts-file',
  ],
  [{ repo: 'ssh://git.example.com/fleet.git', sshKeyFile: 'k' }, 'needs --ssh-key-file and --ssh-known-hosts-file'],
  [{ repo: 'https://git.example.com/fleet.git', sshKeyFile: 'k' }, 'are for an ssh:// URL'],
  [{ repo: 'https://git.example.com/fleet.git', githubAppId: '1' }, '--github-app-id and --github-app-key-file need each other'],
  [
    { repo: 'https://git.example.com/fleet.git', githubAppId: '1', githubAppKeyFile: 'k', tokenFile: 't' },
    '--github-app-id excludes --token-file',
  ],
  [{ repo: 'ssh://git@h/fleet.git', githubAppId: '1', githubAppKeyFile: 'k', sshKeyFile: 'k' }, '--ssh-known-hosts-file'],
  [{ repo: 'http://git.example.com/fleet.git', githubAppId: '1', githubAppKeyFile: 'k' }, 'needs a --repo with an https:// URL'],
  [
    { repo: 'https://git.example.com/fleet.git', clientCertFile: 'c' },
    '--client-cert-file and --client-key-file need each other',
  ],
  [{ repo: 'http://git.example.com/fleet.git', clientCertFile: 'c', clientKeyFile: 'k' }, 'is for an https:// URL'],
  [{ repo: 'git://git.example.com/fleet.git' }, 'expected an https:// or ssh:// URL without a password, or a path'],
  [{ repo: 'nowhere' }, 'failed to find a Git repository'],
  [{ path: '../other' }, 'invalid --path "../other": it leaves the repository'],
  [{ path: '/etc' }, 'invalid --path "/etc": it leaves the repository'],
  [{ repo: 'https://git.example.com/fleet.git', usernameFile: 'u' }, '--username-file and --password-file need each other'],
  [{ repo: 'https://git.example.com/fleet.git', tokenFile: 't', usernameFile: 'u' }, '--token-file excludes'],
  [
    { repo: 'http://git.example.com/fleet.git', tokenFile: 't' },
    'refuse to send credentials to "http://git.example.com/fleet.git"',
  ],
])('a repository given as %j is refused with what to do', async (more, message) => {
  await expect(findRepo(setup(more))).rejects.toThrow(message)
})
