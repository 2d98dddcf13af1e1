import { resolve } from 'node:path'
import { type PodObjects, podObjects } from '../../simulate/pod-objects.ts'
import type { CliIo } from '../cli-io.ts'
import { readText } from '../read-text.ts'

/** @throws {Error} naming the file and what is wrong with it */
export async function readPods(io: CliIo, file: string | undefined): Promise<PodObjects> {
  if (file === undefined) return []
  const path = resolve(io.cwd, file)
  try {
    return podObjects.parse(JSON.parse(await readText(path))).items
  } catch (cause) {
    throw new Error(`failed to read pods from "${path}": expected the output of \`kubectl get pods,pdb -A -o json\``, { cause })
  }
}
