import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingChecksums } from '../../src/cli/checksums/missing-checksums.ts'
import { runCli } from '../cli/run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

interface Manager {
  readonly managerFilePatterns: readonly string[]
  readonly matchStrings: readonly string[]
  readonly depNameTemplate?: string
}

const { customManagers } = JSON.parse(read('examples/ci/renovate/renovate.json')) as { customManagers: readonly Manager[] }

function filesOf(folder: string): ReadonlyMap<string, string> {
  const paths = globSync('**/*.yaml', { cwd: join(ROOT, folder) })
  return new Map(paths.sort().map((path) => [path, read(join(folder, path))]))
}

/** Renovate takes each match, and replaces the version everywhere in it. */
function matchesIn(path: string, text: string) {
  return customManagers.flatMap(({ managerFilePatterns, matchStrings, depNameTemplate }) => {
    const isOf = managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(path))
    const found = isOf ? matchStrings.flatMap((match) => [...text.matchAll(new RegExp(match, 'g'))]) : []
    return found.map(({ 0: whole, groups = {} }) => {
      const { depName = depNameTemplate ?? '', currentValue = '' } = groups
      return { whole, depName, currentValue }
    })
  })
}

function upgraded(files: ReadonlyMap<string, string>, { depName, to }: { readonly depName: string; readonly to: string }) {
  const change = (path: string, text: string) =>
    matchesIn(path, text)
      .filter((match) => match.depName === depName)
      .reduce((changed, { whole, currentValue }) => changed.replace(whole, whole.replaceAll(currentValue, to)), text)
  return new Map([...files].map(([path, text]) => [path, change(path, text)]))
}

test('Renovate finds the kubelets and the downloads of the example', () => {
  const found = [...filesOf('examples/repo')].flatMap(([path, text]) =>
    matchesIn(path, text).map(({ depName, currentValue }) => `${path} ${depName} ${currentValue}`),
  )
  expect(found).toEqual([
    'hosts/machine.yaml containerd/containerd 2.1.4',
    'hosts/machine.yaml containernetworking/plugins 1.9.1',
    'hosts/machine.yaml kubernetes-sigs/cri-tools 1.36.0',
    'hosts/machine.yaml opencontainers/runc 1.4.0',
    'pools/control-plane.yaml kubelet 1.35.4',
    'pools/gpu.yaml kubelet 1.35.4',
    'pools/machines.yaml kubelet 1.35.4',
    'pools/workers.yaml kubelet 1.35.4',
  ])
})

/** Real checksums are no placeholders. */
function filled(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let count = 0
  const sum = () => `"${String(++count).padStart(64, 'a')}"`
  return new Map([...files].map(([path, text]) => [path, text.replaceAll(`"${'0'.repeat(64)}"`, sum)]))
}

test('a new kubelet lacks its checksums, and nothing else does', () => {
  const before = filled(filesOf('examples/repo'))
  const after = upgraded(before, { depName: 'kubelet', to: '1.36.9' })
  expect(after.get('pools/workers.yaml')).toContain('version: "1.36.9"')
  expect(missingChecksums(after, before).map(({ path, what }) => [path, what])).toEqual([
    ['releases/upstream.yaml', 'kubelet 1.36.9'],
  ])
})

test('a new containerd has its version in the whole URL, and lacks its checksums', () => {
  const before = filled(filesOf('examples/repo'))
  const after = upgraded(before, { depName: 'containerd/containerd', to: '2.2.0' })
  const url = 'https://github.com/containerd/containerd/releases/download/v2.2.0/containerd-2.2.0-linux-{{arch}}.tar.gz'
  expect(missingChecksums(after, before).map(({ path, what, urls }) => [path, what, [...urls.keys()]])).toEqual([
    ['hosts/machine.yaml', url, ['amd64', 'arm64']],
  ])
})

test('a variable is found below its comment, and a version on one line in its pool', () => {
  expect(
    matchesIn('clusters/a.yaml', '  # renovate: kubelet\n  kubelet: "1.36.3"\n').map(({ currentValue }) => currentValue),
  ).toEqual(['1.36.3'])
  expect(matchesIn('pools/a.yaml', 'spec:\n  kubelet: {version: "1.36.3"}\n').map(({ currentValue }) => currentValue)).toEqual([
    '1.36.3',
  ])
})

test('the action and the page use options that the command has', async () => {
  const { stdout: help } = await runCli('/', ['checksums', '--help'])
  for (const path of ['actions/checksums/action.yml', 'docs/renovate.md'])
    for (const [, options = ''] of read(path).matchAll(/checksums ("\$FOLDER"|fleet)([^\n`"]*)/g))
      for (const [option] of options.matchAll(/--[a-z-]+/g)) expect(help).toContain(option)
})
