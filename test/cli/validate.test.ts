import { expect, test } from 'vitest'
import { aFolder, commitAll, FLEET, runCli, writeFiles } from './run-cli.ts'

test('validate says what is in a valid fleet', async () => {
  const folder = await aFolder(FLEET)
  expect(await runCli(folder, ['validate'])).toEqual({
    stdout: 'valid: 2 NodePools, 1 FlagSet, 1 KubeletConfig, 1 NodeOverride\n',
    stderr: '',
    code: 0,
  })
})

test('validate says of a fleet without a pool that it has none', async () => {
  const folder = await aFolder({ 'fleet.yaml': FLEET['fleet.yaml'] })
  expect((await runCli(folder, ['validate'])).stdout).toBe('valid: no NodePool yet\n')
})

test('validate shows every problem at its line and ends with 2', async () => {
  const folder = await aFolder({ ...FLEET, 'base.yaml': FLEET['base.yaml'].replace('maxPods', 'maxPodz') })
  expect(await runCli('/', ['validate', folder])).toEqual({
    stdout: `base.yaml:6:5  maxPodz: 110
               ^^^^^^^
  configuration field "maxPodz" is not known to kubelet 1.35.4
  used by pools/workers.yaml:10:14
  did you mean "maxPods"?

invalid: 1 error
`,
    stderr: '',
    code: 2,
  })
})

test('validate tells errors last, and a warning that a file has many times once', async () => {
  const zeros = Object.entries({ '1.35.4': 1, '1.36.3': 2, '1.36.2': 3 }).map(
    ([version]) => `"${version}": {amd64: "${'0'.repeat(64)}"}`,
  )
  const release = `apiVersion: nodewave.io/v1alpha1
kind: KubeletRelease
metadata: {name: a}
spec:
  binary:
    url: https://x/{{version}}
    sha256:
      ${zeros.join('\n      ')}
`
  const folder = await aFolder({
    ...FLEET,
    'a.yaml': release,
    '0.yaml': FLEET['base.yaml'].replace('spec:', 'specs:').replace('base', 'b'),
  })
  const { stdout } = await runCli(folder, ['validate'])
  const entries = stdout.trimEnd().split('\n\n')
  expect(entries.map((entry) => entry.split(':')[0])).toEqual(['a.yaml', '0.yaml', 'invalid'])
  expect(entries[0]).toMatch(/placeholder.*\n {2}fill in .*\n {2}and 2 more like it: lines 9, 10$/)
})

test('validate finds what can be read and not rendered', async () => {
  const folder = await aFolder({ ...FLEET, 'baseline.yaml': FLEET['baseline.yaml'].replace('internalIP', 'ip') })
  const { stdout, code } = await runCli(folder, ['validate', '-o', 'json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    valid: false,
    problems: [
      {
        severity: 'error',
        reason: 'RenderFailed',
        file: 'baseline.yaml',
        line: 5,
        column: 26,
        message:
          'flag --node-ip: "{{ node.ip }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>',
      },
    ],
  })
})

test('validate reads a commit instead of the folder when given a revision', async () => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  await writeFiles(folder, { 'base.yaml': 'kind: Nonsense\n' })
  expect((await runCli(folder, ['validate'])).code).toBe(2)
  expect((await runCli(folder, ['validate', '--revision', 'main'])).code).toBe(0)
})

test('validate paints the carets red on a terminal', async () => {
  const folder = await aFolder({ ...FLEET, 'base.yaml': FLEET['base.yaml'].replace('maxPods', 'maxPodz') })
  expect((await runCli(folder, ['validate'], { color: true })).stdout).toContain('               \u001b[31m^^^^^^^\u001b[39m\n')
})

test('validate tells of a folder that is not there', async () => {
  const folder = await aFolder({})
  expect(await runCli(folder, ['validate', 'nope'])).toEqual({
    stdout: '',
    stderr: `error: failed to read folder "${folder}/nope": ENOENT: no such file or folder; check the path\n`,
    code: 2,
  })
})
