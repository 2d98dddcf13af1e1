import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { checkout } from './checkout.ts'

const container = z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })) })
const deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.tuple([container]) }) }) }),
})

/** The environment variables of the container in `deploy/controller.yaml`: a process without them needs other memory. */
export async function controllerEnvironment(): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(checkout, 'deploy/controller.yaml'), 'utf8')
  const parsed = parseAllDocuments(text).map((document) => deployment.safeParse(document.toJS()))
  const variables = parsed.flatMap(({ data }) => data?.spec.template.spec.containers[0].env ?? [])
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]))
}
