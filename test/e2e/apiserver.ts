/**
 * A real API server for one command: `node test/e2e/apiserver.ts [--kubeconfig OUT] -- command args…`.
 *
 * Starts etcd and kube-apiserver on loopback, runs the command with KUBECONFIG set, takes both down, ends with the command's code.
 */
import { spawn } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { buildBinaries } from './build/binaries.ts'
import { startControlPlane } from './cluster/control-plane.ts'
import { missingPrerequisites } from './cluster/prerequisites.ts'
import { claimSlot } from './cluster/slot.ts'
import { teardown, teardownLeftovers } from './cluster/teardown.ts'

const usage = 'usage: node test/e2e/apiserver.ts [--kubeconfig OUT] -- command args…'

async function main(): Promise<number> {
  const separator = process.argv.indexOf('--')
  const own = process.argv.slice(2, separator < 0 ? undefined : separator)
  const [command, ...args] = separator < 0 ? [] : process.argv.slice(separator + 1)
  const { values } = parseArgs({ args: own, options: { kubeconfig: { type: 'string' } } })
  if (command === undefined) throw new Error(usage)
  const missing = missingPrerequisites('apiserver')
  if (missing.length > 0) throw new Error(missing.join('\n'))
  const find = await buildBinaries(['etcd', 'kube-apiserver'], (line) => console.error(line))
  await teardownLeftovers({ kept: false })
  const slot = await claimSlot()
  try {
    const plane = await startControlPlane(slot, { binary: find, address: '127.0.0.1', port: slot.ports.apiserver, alone: true })
    await plane.waitReady()
    const kubeconfig = values.kubeconfig ?? plane.kubeconfig
    if (values.kubeconfig !== undefined) await copyFile(plane.kubeconfig, values.kubeconfig)
    return await runCommand(command, args, kubeconfig)
  } finally {
    await teardown(slot)
  }
}

function runCommand(command: string, args: readonly string[], kubeconfig: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, KUBECONFIG: kubeconfig, NODEWAVE_CONTRACT: 'real' },
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 128))
  })
}

// The command gets the terminal's signals too and ends; what must happen here is the teardown after it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
