;; Modules that import from each other and from spectest.
(module $counter
  (global $value (mut i32) (i32.const 5))
  (func (export "next") (result i32)
    (global.set $value (i32.add (global.get $value) (i32.const 1)))
    (global.get $value)))
(register "counter" $counter)
(module $user
  (import "counter" "next" (func $next (result i32)))
  (import "spectest" "global_i32" (global $known i32))
  (import "spectest" "print_i32" (func $print (param i32)))
  (func (export "both") (result i32) (call $print (i32.const 3)) (i32.add (call $next) (global.get $known))))
(assert_return (invoke "both") (i32.const 672))
(assert_return (invoke $counter "next") (i32.const 7))
(assert_return (invoke $user "both") (i32.const 674))
(assert_unlinkable (module (import "counter" "previous" (func))) "unknown import")
(assert_unlinkable (module (import "counter" "next" (func (param i32)))) "incompatible import type")
(assert_trap (module (func $start unreachable) (start $start)) "unreachable")
