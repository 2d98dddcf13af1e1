import { expect, test } from 'vitest'
import { parseAgentArguments } from '../../src/cli/agent-arguments.ts'

test('agent has the defaults of the protocol when it is given no argument', () => {
  expect(parseAgentArguments([])).toMatchObject({
    command: 'run',
    kubeconfig: undefined,
    root: '/',
    textfileDirectory: undefined,
    options: { prefix: 'nodewave.io', namespace: 'nodewave-system', layout: 'auto', stateDirectory: '/var/lib/nodewave' },
  })
})

test('agent takes the place of a CoreOS Node Agent by its arguments', () => {
  const args = [
    '--annotation-prefix',
    'node-agent.alpha.coreos.com',
    '--namespace=kube-system',
    '--layout',
    'env',
    '--trial=120',
    '--health-timeout=180',
    '--drift-interval=60',
  ]

  expect(parseAgentArguments(args).options).toMatchObject({
    prefix: 'node-agent.alpha.coreos.com',
    namespace: 'kube-system',
    layout: 'env',
    timing: { trial: 120_000, healthy: 180_000, drift: 60_000 },
  })
})

test.each([
  [['--layout', 'managed'], 'invalid --layout "managed": expected one of auto, kubeadm, env'],
  [['--state-directory', 'var'], 'invalid --state-directory "var": expected an absolute path'],
  [['--environment-file', '/etc/../x'], 'invalid --environment-file "/etc/../x": expected an absolute path'],
  [['--textfile-directory', 'metrics'], 'invalid --textfile-directory "metrics": expected an absolute path'],
  [['--textfile-directory', ''], 'invalid --textfile-directory "": expected an absolute path'],
  [['--trial', '10m'], 'invalid --trial "10m": expected a number of seconds'],
  [['--drift-interval', '0'], 'invalid --drift-interval "0": expected at least one second'],
  [
    ['rebse'],
    'unknown argument "rebse": commands are rebase, doctor, import, security-updates, install, uninstall; see nodewave agent --help',
  ],
  [['--node-name', '../n1'], 'invalid --node-name "../n1": expected the name of a Node such as worker-1'],
  [['--node-name', ''], 'invalid --node-name "": expected the name of a Node'],
  [['--node-name', 'n1\nExecStart=/bin/sh'], 'invalid --node-name "n1\\nExecStart=/bin/sh": expected the name of a Node'],
  [['--no-such'], /^unknown option "--no-such"; see nodewave agent --help$/],
])('agent refuses %j and says what it can be', (args, message) => {
  expect(() => parseAgentArguments(args)).toThrow(message)
})

test('agent takes the name of its Node from its option, else from the environment', () => {
  expect(parseAgentArguments(['--node-name=n1'], { NODE_NAME: 'n2' }).nodeName).toBe('n1')
  expect(parseAgentArguments([], { NODE_NAME: 'n2.example.com' }).nodeName).toBe('n2.example.com')
  expect(parseAgentArguments([], { NODE_NAME: '' }).nodeName).toBeUndefined()
  expect(() => parseAgentArguments([], { NODE_NAME: 'n1/status' })).toThrow('invalid NODE_NAME "n1/status": expected the name')
})

test('agent knows rebase, help and version', () => {
  expect(['rebase', '--help', '--version'].map((arg) => parseAgentArguments([arg]).command)).toEqual([
    'rebase',
    'help',
    'version',
  ])
})
