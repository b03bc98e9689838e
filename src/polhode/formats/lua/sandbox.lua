-- The world a model file sees: the language and its pure libraries, the model's own folder for
-- `require` and `dofile`, and nothing of the system.  Called with what the reader offers, returns
-- a function that runs a text: false and a message, or true and the table as JSON, or true, nil and
-- what is wrong with the result.
local offer, report = ...
local real_load, getinfo, sethook, find = load, debug.getinfo, debug.sethook, string.find
local format, gsub, sub, concat, select, tostring = -- the model may change its own
  string.format, string.gsub, string.sub, table.concat, select, tostring
local type, error = type, error
local export, placed = report.export, report.placed
local env = {}
env._G = env

-- What belongs to the reader has no metatable to be seen, and is never an error's value.
debug.getmetatable(offer.at).__metatable = false
local function as_data(value)
  local kind = type(value)
  if kind == "userdata" or kind == "lightuserdata" then return "an error of the reader" end
  return value
end
local function outcome(ok, ...)
  if ok then return ok, ... end
  return ok, as_data((...))
end

for _, name in ipairs {
  "assert", "error", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset",
  "select", "setmetatable", "tonumber", "tostring", "type", "_VERSION",
} do
  env[name] = _G[name]
end
for _, library in ipairs { "coroutine", "math", "string", "table", "utf8" } do
  env[library] = {}
  for name, value in pairs(_G[library]) do env[library][name] = value end
end
env.collectgarbage = function() return 0 end
env.getmetatable = function(value)
  if type(value) == "table" then return getmetatable(value) end
  return type(value) == "string" and false or nil
end
env.pcall = function(f, ...) return outcome(pcall(f, ...)) end
env.xpcall = function(f, handler, ...)
  return outcome(xpcall(f, function(e) return handler(as_data(e)) end, ...))
end

-- Names of Lua 5.1, in which most model files were written.
env.unpack = table.unpack
env.table.getn = function(t) return #t end
env.math.pow = function(x, y) return x ^ y end
env.math.atan2 = math.atan
env.math.log10 = function(x) return math.log(x, 10) end
env.math.cosh = function(x) return (math.exp(x) + math.exp(-x)) / 2 end
env.math.sinh = function(x) return (math.exp(x) - math.exp(-x)) / 2 end
env.math.tanh = function(x) local e = math.exp(2 * x) return e == 1 / 0 and 1 or (e - 1) / (e + 1) end
math.randomseed(1) -- a model file means the same on every load

-- Where the file is, for the reader to know when time or memory runs out.
local function here(level)
  local info = getinfo(level + 1, "Sl")
  while info and not find(info.short_src, "^%d+$") do
    level = level + 1
    info = getinfo(level + 1, "Sl")
  end
  if info then offer.at(info.short_src, info.currentline) end
end

local mask, count = "", 1000000 -- look every million instructions
local function watch() here(2) end
env.coroutine.create = function(f)
  local co = coroutine.create(f)
  sethook(co, watch, mask, count)
  return co
end
local resume, close = coroutine.resume, coroutine.close
env.coroutine.resume = function(...) return outcome(resume(...)) end
env.coroutine.close = function(co) return outcome(close(co)) end
local function passed(ok, ...)
  if not ok then error(as_data((...)), 0) end
  return ...
end
env.coroutine.wrap = function(f)
  local co = env.coroutine.create(f)
  return function(...) return passed(resume(co, ...)) end
end

env.string.dump = nil
for _, name in ipairs { "find", "match", "gmatch", "gsub", "rep" } do
  local slow = string[name] -- runs for ever in C on some patterns
  env.string[name] = function(...)
    if getinfo(1, "t").istailcall then offer.tail(name) else here(2) end
    return slow(...)
  end
end
local strings = getmetatable("")
strings.__index = env.string
strings.__metatable = false

-- The system is out of reach, and says so by name.
local function refused(library, allowed)
  return setmetatable(allowed, {
    __metatable = false,
    __index = function(_, name)
      error(format("%s.%s is not available in a model file (trusted=True allows it)",
        library, sub(tostring(name), 1, 100)), 2)
    end,
  })
end
local function say(...)
  local words = {}
  for k = 1, select("#", ...) do words[k] = tostring((select(k, ...))) end
  offer.say(concat(words, "\t"))
end
env.print = say
env.os = refused("os", { clock = os.clock, time = os.time, difftime = os.difftime })
env.io = refused("io", { write = say })
env.debug = refused("debug", { traceback = function(message) return message end })
env.package = { path = "?.lua", cpath = "", loaded = {}, preload = {} }

-- Text only: machine code made by another Lua can do anything.
env.load = function(text, name, _, scope)
  if type(text) ~= "string" then
    error("load needs a string in a model file, got a " .. type(text), 2)
  end
  -- Files are the chunks whose names are numbers.
  local named = type(name) == "string" and not find(name, "^[=@]?%d*$")
  return real_load(text, named and sub(name, 1, 200) or "=(load)", "t", scope == nil and env or scope)
end
env.loadstring = env.load

local function open(path)
  path = tostring(path)
  local text, problem = offer.read(path)
  if type(text) ~= "string" then return nil, problem or "cannot read a file" end
  local name = offer.chunk(path)
  if not name then return nil, "more files are run than a model may have" end
  return real_load(text, name, "t", env)
end
env.loadfile = open
env.dofile = function(path)
  local chunk, problem = open(path)
  if not chunk then error(problem, 0) end
  return chunk()
end
env.require = function(name)
  name = tostring(name)
  local loaded = env.package.loaded
  if loaded[name] == nil then
    local path = gsub(name, "%.", "/")
    local chunk, problem = open(path .. ".lua")
    if not chunk and not offer.exists(path .. ".lua") then
      local inner = open(path .. "/init.lua")
      if inner then chunk = inner end
    end
    if not chunk then error(problem, 0) end
    loaded[name] = true
    local value = chunk(name)
    if value ~= nil then loaded[name] = value end
  end
  return loaded[name]
end
for _, library in ipairs { "coroutine", "math", "string", "table", "utf8" } do
  env.package.loaded[library] = env[library]
end

local function hidden(source) return not find(source, "^%d+$") end

return function(text, chunk_name, every_line)
  local chunk, problem = real_load(text, chunk_name, "t", env)
  if not chunk then return false, problem end
  if every_line then mask, count = "l", 0 end
  sethook(watch, mask, count)
  local ok, result = xpcall(chunk, function(message) return placed(message, hidden) end)
  sethook()
  if not ok then return false, result end
  if type(result) ~= "table" then return true, nil, type(result) end
  return true, export(result)
end
