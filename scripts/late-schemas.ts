/**
 * For the bundle of the agent: a schema of zod is made when it first parses something. Most of an agent's 700 schemas describe sections of
 * host documents and records of kinds that a host does not have, and V8 makes them without its compilers.
 */
import type * as z from 'zod/mini'

type Make = (...args: never[]) => unknown

class LateSchema {
  readonly #make: Make
  readonly #args: readonly unknown[]
  #made: z.ZodMiniType | undefined

  constructor(make: Make, args: readonly unknown[]) {
    this.#make = make
    this.#args = args
  }

  get made(): z.ZodMiniType {
    this.#made ??= this.#make(...(this.#args.map(made) as never[])) as z.ZodMiniType
    return this.#made
  }

  /** As it was given: to take over a shape makes nothing. */
  get shape(): unknown {
    return this.#args[0]
  }

  check(...checks: readonly unknown[]): LateSchema {
    return new LateSchema((schema: z.ZodMiniType, ...those: never[]) => schema.check(...those), [this, ...checks])
  }

  parse(value: unknown): unknown {
    return this.made.parse(value)
  }

  safeParse(value: unknown): unknown {
    return this.made.safeParse(value)
  }
}

function made(argument: unknown): unknown {
  if (argument instanceof LateSchema) return argument.made
  if (Array.isArray(argument)) return argument.map(made)
  if (typeof argument !== 'object' || argument === null || Object.getPrototypeOf(argument) !== Object.prototype) return argument
  return Object.fromEntries(Object.entries(argument).map(([key, value]) => [key, made(value)]))
}

/** A function of zod that makes its schema, or check, when that first parses something. */
export const late =
  (make: Make) =>
  (...args: unknown[]): LateSchema =>
    new LateSchema(make, args)
