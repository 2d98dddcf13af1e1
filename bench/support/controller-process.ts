import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { controllerEnvironment } from '../../test/e2e/product/controller-environment.ts'
import { HOME } from './cluster.ts'
import { type ProcessUsage, usageOf } from './process-usage.ts'

export interface ControllerProcess extends AsyncDisposable {
  usage(): Promise<ProcessUsage>
}

/** As `deploy/controller.yaml` starts it. */
const ENVIRONMENT = await controllerEnvironment()

/** `nodewave controller` in a process of its own, so that its memory and CPU can be told from the server's. */
export function startController({ repo, kubeconfig }: { readonly repo: string; readonly kubeconfig: string }): ControllerProcess {
  const args = [join(HOME, 'src/cli/main.ts'), 'controller', '--no-ceiling', '--repo', repo, '--kubeconfig', kubeconfig]
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...ENVIRONMENT } })
  child.once('exit', (code) => {
    if (code !== 0) console.error(`the controller ended with ${code}: node ${args.join(' ')}`)
  })
  return { usage: () => usageOf(pidOf(child)), [Symbol.asyncDispose]: () => stop(child) }
}

function pidOf({ pid, exitCode }: ChildProcess): number {
  if (pid === undefined || exitCode !== null) throw new Error(`measure the controller: it is not running (exit ${exitCode})`)
  return pid
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
