import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { CEILING_NAME, type CeilingView, projectCeiling } from '../../controller/cache/ceiling-schema.ts'
import type { CliIo } from '../cli-io.ts'

const ceiling = z.object({
  kind: z.literal('Ceiling'),
  metadata: z.object({ name: z.literal(CEILING_NAME) }),
  spec: z.unknown(),
})

export const CEILING_OPTION = 'file of the Ceiling, as `kubectl get ceiling fleet -o yaml` prints it, or "-" for stdin'

/** @throws {Error} when it cannot be read: what it allows is then not known */
export async function readCeilingFile(io: CliIo, file: string): Promise<CeilingView> {
  const path = file === '-' ? '/dev/stdin' : resolve(io.cwd, file)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`failed to read the Ceiling from "${path}": ${cause.code}`, { cause })
  })
  const result = ceiling.safeParse(parsed(text))
  if (!result.success)
    throw new Error(`failed to read the Ceiling from "${path}": expected one document of kind Ceiling, named "${CEILING_NAME}"`)
  const view = projectCeiling(result.data)
  const { unreadable } = view.ceiling
  if (unreadable !== undefined) throw new Error(`failed to read the Ceiling from "${path}": ${unreadable}`)
  return view
}

function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch {
    return undefined
  }
}
